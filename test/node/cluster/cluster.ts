/**
 * tiny on a real node: the engine's API server, kubelet and containers, tiny installed from its manifests, and three
 * named stand-ins for what is not here: Knative Eventing (the local one), Knative Serving, a provisioner of volumes.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type AuditRow, parseAudit } from '../../../cli/audit/row.ts';
import type { KubeObject, Person } from '../../../lib/api/meta.ts';
import { applyAll } from '../../../lib/install/apply.ts';
import { readManifests } from '../../../lib/install/manifests.ts';
import { makeClient } from '../../../lib/kube/client.ts';
import { makeSend, type Send } from '../../../lib/kube/send.ts';
import type { Client } from '../../../lib/kube/types.ts';
import type { Part, World } from '../../../local/controllers/loop.ts';
import { findEngine } from '../../../local/engine/find.ts';
import { knativeKinds } from '../../../local/engine/knative-kinds.ts';
import { startEngine } from '../../../local/engine/start.ts';
import { readEnvironment } from '../../../local/env.ts';
import { startEventing } from '../../../local/eventing/eventing.ts';
import { startGitServer } from '../../../local/git-server.ts';
import { localRoles, personOf } from '../../../local/people.ts';
import { inForce } from '../../contract/in-force.ts';
import { NAMESPACES } from '../../contract/objects.ts';
import { ADDRESS, NODE, startNode } from './node.ts';
import { type Serving, startServing } from './serving.ts';
import { startProvisioner } from './volumes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PEOPLE = ['alice', 'bob', 'carol'] as const;
export const PROJECT = 'team';
/** Functions go to zero this long after their last request. */
const IDLE_MS = 5000;

export interface Given {
  folder: string;
  programs: string;
  images: string[];
}

/** What `run.ts` has prepared. */
export const given = (): Given => {
  const folder = process.env['TINY_NODE_TEST'];
  if (!folder) throw new Error('these suites run in a sandbox only: npm run test:node');
  return JSON.parse(readFileSync(join(folder, 'given.json'), 'utf8')) as Given;
};

export interface Cluster {
  admin: Client;
  as(name: (typeof PEOPLE)[number]): Client;
  /** Sends to a container as somebody. */
  sendAs(name: (typeof PEOPLE)[number]): Send;
  kubectl(...args: string[]): Promise<string>;
  /** URL of a bare repository, as pods reach it, and its folder. */
  repository: { url: string; folder: string };
  serving: Serving;
  programs: string;
  audit(): AuditRow[];
  stop(): Promise<void>;
}

/** The project's namespace holds every pod to the strictest level. */
const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: PROJECT,
    labels: {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'latest',
    },
  },
};

/** The API server reads logs from the kubelet by its own certificate. */
const kubeletReader = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'kubelet-reader' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-apiserver-kubelet-client' }],
} as KubeObject;

async function install(server: Parameters<typeof inForce>[0]): Promise<void> {
  const { admin } = server;
  const everywhere = ['rbac', 'rbac/policies', 'knative'].flatMap((name) => readManifests(join(ROOT, name)));
  await applyAll(admin, [...everywhere, ...localRoles(), namespace, kubeletReader], { wait: setTimeout });
  const project = readManifests(join(ROOT, 'rbac/project'));
  await applyAll(admin, project, { namespace: PROJECT, wait: setTimeout });
  await inForce(server);
  await admin.delete(NAMESPACES, { name: 'probe' });
}

async function makeRepository(folder: string): Promise<void> {
  const git = (...args: string[]) => promisify(execFile)('git', args);
  const work = `${folder}.work`;
  await git('init', '--quiet', '--initial-branch=main', work);
  writeFileSync(join(work, 'README.md'), '# A repository\n');
  await git('-C', work, 'add', '.');
  await git('-C', work, '-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '--quiet', '-m', 'First');
  await git('clone', '--quiet', '--bare', work, folder);
}

const tokenOf = (name: string): string => `token-of-${name}`;

const people = (): ReadonlyMap<string, Person> =>
  new Map([
    ...PEOPLE.map((name) => [tokenOf(name), personOf(name, '')] as const),
    [tokenOf('kubelet'), { username: `system:node:${NODE}`, groups: ['system:nodes'] }],
    [tokenOf('scheduler'), { username: 'system:kube-scheduler', groups: [] }],
  ]);

/** What kube-proxy does for the Service `kubernetes`: passes connections from pods on to the API server on loopback. */
async function forward(from: number, to: number): Promise<void> {
  const server = createServer((client) => {
    const onward = connect(to, '127.0.0.1');
    client.on('error', () => onward.destroy()).pipe(onward);
    onward.on('error', () => client.destroy()).pipe(client);
  });
  server.unref();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(from, ADDRESS, resolve));
}

/** Starts it all, in about half a minute. */
export async function startCluster(log: (line: string) => void): Promise<Cluster> {
  const { folder, programs, images } = given();
  const began = performance.now();
  const took = (what: string) => log(`${what} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  const { assets, ...environment } = readEnvironment();
  const binaries = await findEngine({ ...environment, root: ROOT, say: log, ...(assets && { assets }) });
  const engineFolder = join(folder, 'engine');
  const engine = await startEngine({
    folder: engineFolder,
    binaries,
    people: people(),
    definitions: [...readManifests(join(ROOT, 'crds')), ...knativeKinds()],
    controllers: false,
    unsafe: true,
    serverArguments: [`--advertise-address=${ADDRESS}`, '--enable-admission-plugins=NodeRestriction'],
    log,
  });
  await forward(443, Number(new URL(engine.url).port));
  took('the API server is ready');
  const clientOf = (token: string, fieldManager = 'test') =>
    makeClient({ server: engine.url, ca: engine.caPem, auth: { token }, fieldManager });
  const admin = clientOf(engine.adminToken, 'test');
  const tokens = { kubelet: tokenOf('kubelet'), scheduler: tokenOf('scheduler') };
  const { controllerManager = '' } = binaries;
  await startNode({ folder, programs, controllerManager, engineFolder, images, url: engine.url, tokens, admin });
  took('the node is Ready');
  await install({ admin, clientOf });
  took('tiny is installed');
  const repository = join(folder, 'git/work.git');
  mkdirSync(join(folder, 'git'));
  await makeRepository(repository);
  const git = await startGitServer({ root: join(folder, 'git'), port: 0, host: ADDRESS });
  const world: World = { client: admin, now: () => new Date(), random: Math.random, log };
  const provisioner = startProvisioner(world, join(folder, 'volumes'));
  const serving = await startServing(world, IDLE_MS);
  const eventing = await startEventing({ ...world, apiServer: engine.url, address: serving.address });
  took('functions and eventing are ready');
  const parts: Part[] = [eventing, serving, provisioner, git];
  const kubectl = async (...args: string[]) =>
    (await promisify(execFile)(binaries.kubectl ?? 'kubectl', ['--kubeconfig', engine.adminKubeconfig, ...args]))
      .stdout;
  return {
    admin,
    as: (name) => clientOf(tokenOf(name), name),
    sendAs: (name) =>
      makeSend({
        server: engine.url,
        ca: engine.caPem,
        auth: { token: tokenOf(name) },
        userAgent: name,
        now: Date.now,
      }),
    kubectl,
    repository: { url: `${git.url}/work.git`, folder: repository },
    serving,
    programs,
    audit: () => parseAudit(readFileSync(engine.auditLog, 'utf8')).rows,
    stop: async () => {
      await Promise.all(parts.map((part) => part.stop()));
      await engine.stop(1000);
    },
  };
}
