/**
 * A real API server with tiny installed as anyone installs it, and the people of the contract suite: what each may do
 * comes from `rbac/`, who each is from a static token.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { KubeObject, Person } from '../../lib/api/meta.ts';
import type { Header } from '../../lib/identity/impersonation-headers.ts';
import { applyAll } from '../../lib/install/apply.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { isNotFound } from '../../lib/kube/errors.ts';
import { makeTransport } from '../../lib/kube/transport.ts';
import { type Client, PODS } from '../../lib/kube/types.ts';
import { questions } from '../../lib/question/plan.ts';
import { reconcile } from '../../lib/reconcile.ts';
import { sessions } from '../../lib/session/plan.ts';
import { engineForTests, type TestEngine, type TestEngineOptions } from '../support/engine.ts';
import { askOf, podOf, tokenFor } from './asker.ts';
import { readAudit } from './audit-log.ts';
import { inForce } from './in-force.ts';
import { CONFIG_MAPS, kind, NAMESPACES, settingsOf, stated, until } from './objects.ts';

const ROOT = join(import.meta.dirname, '../..');

export const PEOPLE = {
  alice: { username: 'alice', uid: 'u-alice', groups: ['team'] },
  bob: { username: 'bob', uid: 'u-bob', groups: ['team'] },
  /** May answer and make Sessions, by the second of three groups alone. */
  carol: { username: 'carol', groups: ['readers', 'second', 'third'] },
  /** Sees all, may answer, may start nothing. */
  dave: { username: 'dave', groups: ['reviewers'] },
  /** Administers projects. */
  olga: { username: 'olga', groups: ['owners'] },
  /** Administers what somebody binds the role admin to them in. */
  petra: { username: 'petra', groups: ['petras'] },
  /** Whose rights come from system:masters alone. */
  root: { username: 'root', groups: ['system:masters'] },
  nobody: { username: 'nobody', groups: [] },
} satisfies Record<string, Person>;
export type Name = keyof typeof PEOPLE;

const RBAC = 'rbac.authorization.k8s.io';
const roles = (kind: string, name: string, rest: object): KubeObject =>
  ({ apiVersion: `${RBAC}/v1`, kind, metadata: { name }, ...rest }) as KubeObject;
const bind = (group: string, role: string) =>
  roles('ClusterRoleBinding', `test-${role}-${group}`, {
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: group }],
  });
/** Waits until the authorizer has seen a new binding: it reads them a moment later. */
export async function mayDo(admin: Client, user: string, resourceAttributes: object): Promise<void> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, resourceAttributes },
  };
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const review = () => admin.request<{ status: { allowed: boolean } }>('POST', path, body);
  // The stand-in has no such review, and needs none: it reads roles when it is asked.
  await until(() => review().then(({ status }) => status.allowed, isNotFound));
}

async function bound(admin: Client, namespace: string | undefined, [user, role]: [string, string]): Promise<void> {
  const of = namespace ? 'RoleBinding' : 'ClusterRoleBinding';
  const type = { ...kind(RBAC, of, `${of.toLowerCase()}s`), namespaced: namespace !== undefined };
  const name = `test-${role}-${user.replaceAll(':', '-')}`;
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: user }];
  const metadata = { name, ...(namespace && { namespace }) };
  await admin.create(type, { apiVersion: `${RBAC}/v1`, kind: of, metadata, ...{ roleRef, subjects } });
  const right =
    role === 'tiny-admin' ? { verb: 'update', resource: 'settings' } : { verb: 'get', resource: 'sessions' };
  await mayDo(admin, user, { namespace, group: 'tiny.dev', ...right });
}

const ROLES = [
  roles('ClusterRole', 'test-session-editor', {
    rules: [{ apiGroups: ['tiny.dev'], resources: ['sessions'], verbs: ['get', 'patch'] }],
  }),
  roles('ClusterRole', 'test-answerer', {
    rules: [{ apiGroups: ['tiny.dev'], resources: ['questions'], verbs: ['get', 'list', 'update', 'patch'] }],
  }),
  bind('team', 'tiny-user'),
  bind('second', 'tiny-user'),
  bind('reviewers', 'tiny-viewer'),
  bind('reviewers', 'test-answerer'),
  roles('ClusterRole', 'test-owner', {
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch', 'delete'] }],
  }),
  bind('owners', 'admin'),
  bind('owners', 'test-owner'),
];

/** Every account that tiny has in tiny-system: one a function, and the event source's. */
export const ACCOUNTS = ['session', 'question', 'slack', 'github', 'sweep', 'dead-letters', 'source'] as const;
export type Account = (typeof ACCOUNTS)[number];

/** What the suite asks of an API server. */
export type Server = Pick<TestEngine, 'url' | 'caPem' | 'admin' | 'clientOf' | 'auditLog' | 'stop'>;
type Start = (options: TestEngineOptions) => Promise<Server>;

export type World = Awaited<ReturnType<typeof startWorld>>;

/** `policies` are applied by `install`, so that schemas can be tried without them. */
export async function startWorld(options: TestEngineOptions = {}, start: Start = engineForTests) {
  const tokens = new Map(
    Object.values(PEOPLE).map((person): [string, Person] => [randomBytes(18).toString('hex'), person]),
  );
  const engine = await start({ ...options, people: tokens });
  const tokenOf = new Map([...tokens].map(([token, { username }]) => [username, token]));
  await applyAll(engine.admin, readManifests(join(ROOT, 'crds')), { wait: setTimeout });
  return { engine, tokenOf, as: (name: Name) => engine.clientOf(tokenOf.get(name) ?? ''), ...actions(engine) };
}

function actions(engine: Server) {
  const { admin } = engine;
  const accounts = Object.fromEntries(ACCOUNTS.map((name) => [name, ''])) as Record<Account, string>;
  const functionClient = (name: Account, manager = `tiny-${name}`) => engine.clientOf(accounts[name], manager);
  return {
    admin,
    functionClient,
    /** Roles and policies; ready when a policy over Sessions is seen to refuse. */
    async install(folders: readonly string[]): Promise<void> {
      const manifests = folders.flatMap((folder) => readManifests(join(ROOT, folder)));
      await applyAll(admin, [...manifests, ...ROLES], { wait: setTimeout });
      for (const name of ACCOUNTS) accounts[name] = await tokenFor(admin, `tiny-system/${name}`);
      if (folders.some((folder) => folder.startsWith('rbac/policies'))) await inForce(engine);
    },
    /** A project, prepared as anyone prepares one. */
    async project(name: string, settings?: Record<string, string>): Promise<string> {
      await admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await applyAll(admin, readManifests(join(ROOT, 'rbac/project')), { namespace: name, wait: setTimeout });
      if (settings) await admin.apply(CONFIG_MAPS, stated(settingsOf(name, settings)));
      const acts = {
        namespace: name,
        verb: 'impersonate-on:user-info:create',
        group: 'tiny.dev',
        resource: 'sessions',
      };
      for (const name of ['question', 'slack', 'github'])
        await mayDo(admin, `system:serviceaccount:tiny-system:${name}`, acts);
      return name;
    },
    /** The cluster's own role `edit`, or another one, in a project. */
    bindEditor: (namespace: string, user: string) => bound(admin, namespace, [user, 'edit']),
    bindUser: (namespace: string, user: string) => bound(admin, namespace, [user, 'tiny-user']),
    bindSessionEditor: (namespace: string, user: string) => bound(admin, namespace, [user, 'test-session-editor']),
    bindSettings: (namespace: string, user: string) => bound(admin, namespace, [user, 'tiny-admin']),
    bindAdmin: (user: string) => bound(admin, undefined, [user, 'cluster-admin']),
    tokens: () => accounts,
    audit: () => readAudit(engine.auditLog),
    NAMESPACES,
    /** A claim, made by a function with headers that its own code would not send. */
    async rawAs(name: Account, identity: Header[], claim: KubeObject): Promise<unknown> {
      const transport = makeTransport({ server: engine.url, ca: engine.caPem, userAgent: 'raw', now: Date.now });
      const headers: Header[] = [
        ['authorization', `Bearer ${accounts[name]}`],
        ['content-type', 'application/json'],
      ];
      const path = `/api/v1/namespaces/${claim.metadata.namespace}/persistentvolumeclaims`;
      return await transport.read({
        method: 'POST',
        path,
        headers: [...headers, ...identity],
        body: JSON.stringify(claim),
      });
    },
    /** A pod of the agents' account that no Session has. */
    podOf: (namespace: string, name: string) => podOf(admin, { namespace, name }),
    /** A Question as the agent of a Session asks it. */
    ask: (namespace: string, session: string, more?: Parameters<typeof askOf>[2]) =>
      askOf(engine, [namespace, session], more),
    /** What function `session` does when it is woken. */
    runSession: (namespace: string, name: string, now = new Date()) =>
      reconcile(sessions, { namespace, name }, { client: functionClient('session'), now: () => now }),
    runQuestion: (namespace: string, name: string) =>
      reconcile(questions, { namespace, name }, { client: functionClient('question'), now: () => new Date() }),
    /** The pod of a Session, made by the real controllers, and its agent's client. */
    async agentOf(namespace: string, session: string): Promise<Client> {
      const pod = await until(async () => {
        const { items } = await admin.list(PODS, {
          namespace,
          labelSelector: `tiny.dev/session=${session}`,
        });
        return items[0];
      });
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid };
      return engine.clientOf(await tokenFor(admin, `${namespace}/tiny-agent`, boundObjectRef), 'tiny-agent');
    },
  };
}
