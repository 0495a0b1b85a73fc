/**
 * A whole local cluster: an API server (the stand-in's, in this process, or a real one), what Kubernetes and Knative
 * would run beside it, and tiny installed from the same manifests as anywhere.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Person } from '../lib/api/meta.ts';
import { applyAll } from '../lib/install/apply.ts';
import { policiesInForce } from '../lib/install/in-force.ts';
import { readManifests } from '../lib/install/manifests.ts';
import { makeClient } from '../lib/kube/client.ts';
import type { Client } from '../lib/kube/types.ts';
import { type Served, serve } from './api-server.ts';
import type { Log, Part, World } from './controllers/loop.ts';
import type { Binaries } from './engine/binaries.ts';
import { startEventing } from './eventing/eventing.ts';
import type { Faults } from './eventing/faults.ts';
import { nodeFolder } from './folders.ts';
import { type Functions, startFunctions } from './functions/runner.ts';
import { type Kubeconfig, makeKubeconfig } from './kubeconfig.ts';
import type { Host } from './node/host.ts';
import { endAllLeftovers } from './node/leftover.ts';
import { type Node, startNode } from './node/node.ts';
import { loadTokens, localRoles, personOf, TRIAL_PEOPLE } from './people.ts';

export interface ClusterOptions {
  /** Holds everything that lasts. */
  folder: string;
  /** A real API server's programs; absent: the stand-in's own is served. */
  engine?: Binaries | undefined;
  /** The project's own folder, with its manifests and `dist/`. */
  root: string;
  /** 0: a free one. */
  port: number;
  /** Who has the rights of an administrator. */
  you: string;
  /** The namespace that is prepared for sessions. */
  project: string;
  /** How long a function stays without a request, milliseconds. */
  idleMs: number;
  faults: Faults;
  /** The PATH of the processes. */
  path: string;
  log: Log;
}

export interface Cluster {
  /** Of the API server. */
  port: number;
  kubeconfig: Kubeconfig;
  functions: Functions;
  stop(): Promise<void>;
}

/** Who the parts of the stand-in are to its API server. */
const PARTS = ['standin:installer', 'standin:controllers', 'standin:node', 'standin:eventing'] as const;

/** Starts everything; when it resolves, a Session made now is seen. Throws where the port is taken. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, you, log, project } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = [you, ...Object.keys(TRIAL_PEOPLE)];
  const tokens = loadTokens(folder, [...names, ...PARTS]);
  await endEarlier(hostOf(options, 0));
  const parts: { node?: Node } = {};
  const api = await serve({
    folder,
    engine: options.engine,
    port: options.port,
    definitions: readManifests(join(options.root, 'crds')),
    people: new Map(Object.entries(tokens).map(([name, token]): [string, Person] => [token, personOf(name, you)])),
    log,
    logs: (...asked) => parts.node?.logs(...asked) ?? none(),
    attach: (...asked) => parts.node?.attach(...asked) ?? Promise.reject(new Error('the node is not there yet')),
  });
  const worldOf = (part: (typeof PARTS)[number]): World => {
    const client = makeClient({
      server: api.url,
      ca: api.caPem,
      auth: { token: tokens[part] ?? '' },
      fieldManager: part,
    });
    return { client, now: () => new Date(), random: Math.random, log };
  };
  await install(worldOf('standin:installer').client, options, api.manifests);
  const started = await startParts(options, api, worldOf);
  parts.node = started.node;
  const mine = Object.fromEntries(names.map((name) => [name, tokens[name] ?? '']));
  return {
    port: portOf(api.url),
    kubeconfig: makeKubeconfig({ url: api.url, caPem: api.caPem, tokens: mine, you, namespace: project }),
    functions: started.functions,
    stop: () => started.stop().finally(() => api.close()),
  };
}

/** How long what an earlier run left has to end, milliseconds. */
const GRACE = 5000;

/** Ends what a killed cluster left, before there is an API server that it could still write to. */
const endEarlier = (host: Host) => Promise.all([host, functionsOn(host)].map((one) => endAllLeftovers(one, GRACE)));

/** Functions are no pods of the API server's: their folders lie apart. */
const functionsOn = <T extends Host>(host: T): T => ({ ...host, dataFolder: join(host.dataFolder, 'functions') });

/** What Kubernetes and Knative run beside the API server. Pods start last: what they do is to be seen. */
async function startParts(
  options: ClusterOptions,
  api: Served,
  worldOf: (part: (typeof PARTS)[number]) => World,
): Promise<{ node: Node; functions: Functions } & Part> {
  const { root, idleMs, faults } = options;
  const nodeOptions = { ...worldOf('standin:node'), ...hostOf(options, portOf(api.url)) };
  const functions = await startFunctions({
    ...functionsOn(nodeOptions),
    functionsFolder: join(root, 'dist/functions'),
    scaleToZeroMs: idleMs,
  });
  const controllers = await api.startControllers(worldOf('standin:controllers'));
  const { address } = functions;
  const eventing = await startEventing({ ...worldOf('standin:eventing'), apiServer: api.url, address, faults });
  const node = startNode({ ...nodeOptions, client: api.asNode(nodeOptions.client) });
  const parts: Part[] = [eventing, functions, controllers, node];
  /** One that fails to end keeps the others from nothing: they have processes to end. */
  const stop = async () => {
    const ended = await Promise.allSettled(parts.map((part) => part.stop()));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  };
  return { node, functions, stop };
}

const portOf = (url: string): number => Number(new URL(url).port);

async function* none(): AsyncIterable<string> {}

const hostOf = ({ folder, engine, root, path }: ClusterOptions, port: number): Host => ({
  dataFolder: nodeFolder(folder, engine !== undefined),
  tempFolder: tmpdir(),
  agentFolder: join(root, 'dist/agent'),
  path,
  apiServer: { host: '127.0.0.1', port },
});

/** What `kubectl apply -f crds -k rbac -k knative` and a project's own `kubectl apply -k rbac/project` do. */
async function install(client: Client, { root, project }: ClusterOptions, more: readonly string[]): Promise<void> {
  const wait = (ms: number) => setTimeout(ms);
  const folders = ['crds', 'rbac', ...more, 'knative'];
  const everywhere = folders.flatMap((folder) => readManifests(join(root, folder)));
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: project } };
  await applyAll(client, [...everywhere, ...localRoles(), namespace], { wait });
  await applyAll(client, readManifests(join(root, 'rbac/project')), { namespace: project, wait });
  if (more.length) await policiesInForce(client, project, { wait });
}
