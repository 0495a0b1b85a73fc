/**
 * What each function's account may do, found by trying: {account} × {as whom} × {verb} × {resource}. Writes are dry runs.
 * A right exists where the answer is anything but 403: a 404 or 422 is an answer of someone who was let in.
 */
import { describe, expect, test } from 'vitest';
import type { Header } from '../../lib/identity/impersonation-headers.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { makeTransport } from '../../lib/kube/transport.ts';
import { ACCOUNTS, type Account, type World } from './world.ts';

const NS = 'matrix';

/** Who is acted as. Each has all rights in the project, so that a 403 is never theirs. */
const ACTORS: Record<string, Header[]> = {
  itself: [],
  'a user': [
    ['Impersonate-User', 'matrix-user'],
    ['Impersonate-Group', 'matrix'],
  ],
  'a service account': [['Impersonate-User', `system:serviceaccount:${NS}:ci`]],
  'system:masters': [
    ['Impersonate-User', 'matrix-user'],
    ['Impersonate-Group', 'system:masters'],
  ],
  'a node': [
    ['Impersonate-User', 'system:node:n'],
    ['Impersonate-Group', 'system:nodes'],
  ],
  'a service account with a group': [
    ['Impersonate-User', `system:serviceaccount:${NS}:ci`],
    ['Impersonate-Group', 'g'],
  ],
};

const RESOURCES = {
  sessions: '/apis/tiny.dev/v1alpha1',
  'sessions/status': '/apis/tiny.dev/v1alpha1',
  questions: '/apis/tiny.dev/v1alpha1',
  'questions/status': '/apis/tiny.dev/v1alpha1',
  secrets: '/api/v1',
  pods: '/api/v1',
  'pods/exec': '/api/v1',
  'pods/log': '/api/v1',
  configmaps: '/api/v1',
  serviceaccounts: '/api/v1',
  'serviceaccounts/token': '/api/v1',
  persistentvolumeclaims: '/api/v1',
  services: '/api/v1',
  events: '/api/v1',
  deployments: '/apis/apps/v1',
  'deployments/scale': '/apis/apps/v1',
  replicasets: '/apis/apps/v1',
  jobs: '/apis/batch/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
  roles: '/apis/rbac.authorization.k8s.io/v1',
  rolebindings: '/apis/rbac.authorization.k8s.io/v1',
  leases: '/apis/coordination.k8s.io/v1',
};

const METHODS = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
type Verb = keyof typeof METHODS;
const COLLECTIVE = ['list', 'watch', 'deletecollection'];

const ITSELF: Record<Account, string[]> = {
  session: ['questions get', 'sessions get', 'sessions/status patch'],
  question: ['questions get', 'questions/status patch', 'sessions get', 'sessions/status patch'],
  slack: [],
  github: ['questions get', 'questions list', 'sessions get', 'sessions/status patch'],
  sweep: [
    ...['deployments', 'events', 'networkpolicies', 'persistentvolumeclaims', 'pods', 'questions', 'sessions'].map(
      (one) => `${one} list`,
    ),
    'events create',
    'sessions/status patch',
  ],
  'dead-letters': [],
  source: ['questions', 'sessions'].flatMap((one) => ['get', 'list', 'watch'].map((verb) => `${one} ${verb}`)),
};
const AS_PERSON: Partial<typeof ITSELF> = {
  session: [
    ...['persistentvolumeclaims', 'networkpolicies', 'deployments'].flatMap((one) =>
      ['get', 'create', 'patch'].map((verb) => `${one} ${verb}`),
    ),
    'secrets create',
    'sessions delete',
  ],
  question: ['sessions get', 'sessions create'],
  slack: ['questions get', 'questions patch', 'sessions get', 'sessions list', 'sessions create'],
  github: ['sessions get', 'sessions create', 'sessions patch'],
};
const MEANT: Record<string, typeof AS_PERSON> = {
  itself: ITSELF,
  'a user': AS_PERSON,
  'a service account': AS_PERSON,
};

/** Objects of which an account has a right by name. */
const NAMED: Record<string, Partial<Record<Account, string[]>>> = {
  'tiny-system/configmaps/dead-letters': { 'dead-letters': ['configmaps get', 'configmaps patch'] },
  'tiny-system/configmaps/tiny-settings': { question: ['configmaps get'], session: ['configmaps get'] },
};

type Resource = keyof typeof RESOURCES;

/** Of an object `name`, or of a collection. */
function requestOf(resource: Resource, verb: Verb, { namespace, name = 'x' }: { namespace: string; name?: string }) {
  const [plural = '', subresource] = resource.split('/');
  const collection = `${RESOURCES[resource]}/namespaces/${namespace}/${plural}`;
  const one = verb === 'create' ? subresource !== undefined : !COLLECTIVE.includes(verb);
  const path = one ? `${collection}/${name}${subresource ? `/${subresource}` : ''}` : collection;
  const parameters =
    verb === 'watch' ? '?watch=1&timeoutSeconds=1' : verb === 'get' || verb === 'list' ? '' : '?dryRun=All';
  const type = verb === 'patch' ? 'application/merge-patch+json' : 'application/json';
  const body = ['create', 'update', 'patch'].includes(verb) ? '{}' : undefined;
  return {
    method: METHODS[verb],
    path: path + parameters,
    body,
    headers: body ? [['content-type', type] as const] : [],
  };
}

export function matrixCases(world: () => World): void {
  describe('by trying, account', () => {
    test.for(ACCOUNTS)('%s can do what is meant, and nothing else', { timeout: 60_000 }, async (name) => {
      if (name === 'session') await prepare();
      const found = await rightsFound(name, NS);
      for (const actor of Object.keys(ACTORS))
        expect(found.get(actor), `${name} as ${actor}`).toEqual([...(MEANT[actor]?.[name] ?? [])].sort());
    });

    test.for(ACCOUNTS)(
      '%s can do nothing in the name of others outside of projects',
      { timeout: 60_000 },
      async (name) => {
        const found = await rightsFound(name, 'kube-system');
        for (const actor of Object.keys(ACTORS)) {
          const meant = actor === 'itself' ? [...ITSELF[name]].sort() : [];
          expect(found.get(actor), `${name} as ${actor}`).toEqual(meant);
        }
      },
    );

    test.for(Object.entries(NAMED))('%s is what is meant for those that it is for', async ([path, meant]) => {
      const [namespace = '', resource, name = ''] = path.split('/');
      const verbs = Object.keys(METHODS).filter((verb) => !COLLECTIVE.includes(verb) && verb !== 'create') as Verb[];
      const tries = verbs.map((verb): [Resource, Verb] => [resource as Resource, verb]);
      for (const account of ACCOUNTS)
        for (const [actor, identity] of Object.entries(ACTORS)) {
          const found = await letIn(account, { identity, tries, at: { namespace, name } });
          expect(found, `${account} as ${actor}`).toEqual(actor === 'itself' ? (meant[account] ?? []) : []);
        }
    });

    test.for(ACCOUNTS)('%s reads no Secret by any path', async (account) => {
      const paths = [
        '/api/v1/secrets',
        '/api/v1/namespaces/matrix/secrets',
        '/api/v1/namespaces/matrix/secrets/s',
        '/api/v1/secrets?watch=1&timeoutSeconds=1',
        '/api/v1/namespaces/matrix/secrets?fieldSelector=metadata.name%3Ds',
      ];
      for (const path of paths)
        for (const headers of Object.values(ACTORS))
          expect(await codeOf(world().tokens()[account], { method: 'GET', path, headers })).toBe(403);
      for (const headers of Object.values(ACTORS)) {
        const patch = {
          method: 'PATCH',
          path: '/api/v1/namespaces/matrix/secrets/s',
          body: '{}',
          headers: [...headers, ['content-type', 'application/merge-patch+json'] as const],
        };
        expect(await codeOf(world().tokens()[account], patch)).toBe(403);
      }
    });
  });

  async function prepare(): Promise<void> {
    await world().project(NS);
    for (const user of ['matrix-user', `system:serviceaccount:${NS}:ci`]) await world().bindAdmin(user);
  }

  async function rightsFound(name: Account, namespace: string): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const [actor, identity] of Object.entries(ACTORS)) {
      const tries = Object.keys(RESOURCES).flatMap((resource) =>
        // A collection has no subresource: to list `sessions/status` is to list `sessions`.
        Object.keys(METHODS)
          .filter((verb) => !resource.includes('/') || !COLLECTIVE.includes(verb))
          .map((verb): [Resource, Verb] => [resource as Resource, verb as Verb]),
      );
      found.set(actor, await letIn(name, { identity, tries, at: { namespace } }));
    }
    return found;
  }

  interface Tries {
    identity: Header[];
    tries: [Resource, Verb][];
    at: { namespace: string; name?: string };
  }

  /** What of it is no 403, in order. */
  async function letIn(account: Account, { identity, tries, at }: Tries): Promise<string[]> {
    const found = await Promise.all(
      tries.map(async ([resource, verb]) => {
        const { headers, ...request } = requestOf(resource, verb, at);
        const code = await codeOf(world().tokens()[account], { ...request, headers: [...identity, ...headers] });
        return code === 403 ? [] : [`${resource} ${verb}`];
      }),
    );
    return found.flat().sort();
  }

  async function codeOf(
    token: string,
    { headers, ...exchange }: { method: string; path: string; body?: string | undefined; headers: readonly Header[] },
  ): Promise<number> {
    const { url: server, caPem: ca } = world().engine;
    transport ??= makeTransport({ server, ca, userAgent: 'matrix', now: Date.now });
    const authorized = [['authorization', `Bearer ${token}`] as const, ...headers];
    return transport.read({ ...exchange, headers: authorized }).then(
      () => 200,
      (error) => {
        if (error instanceof ApiError) return error.code;
        throw error;
      },
    );
  }
  let transport: ReturnType<typeof makeTransport> | undefined;
}
