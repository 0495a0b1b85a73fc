/** The API server of a local cluster, the stand-in's or a real one, and what of Kubernetes runs beside it. */
import { join } from 'node:path';
import type { KubeObject, Person } from '../lib/api/meta.ts';
import type { Client } from '../lib/kube/types.ts';
import { startApiServer } from './api/server.ts';
import { startClaims } from './controllers/claim.ts';
import { NODE_NAME, startDeployments } from './controllers/deployment.ts';
import type { Log, Part, World } from './controllers/loop.ts';
import { startRootCa } from './controllers/root-ca.ts';
import { FILES } from './engine/arguments.ts';
import type { Binaries } from './engine/binaries.ts';
import { knativeKinds } from './engine/knative-kinds.ts';
import { startKubelet } from './engine/kubelet.ts';
import { asNode, startScheduler } from './engine/scheduler.ts';
import { startEngine } from './engine/start.ts';
import { engineFolder } from './folders.ts';
import type { Node } from './node/node.ts';

export interface ServeOptions {
  /** Holds everything that lasts, the audit log among it. */
  folder: string;
  /** A real API server's programs; absent: the stand-in's own is served. */
  engine?: Binaries | undefined;
  /** 0: a free one. */
  port: number;
  /** By their bearer token. */
  people: ReadonlyMap<string, Person>;
  /** tiny's own kinds. */
  definitions: readonly KubeObject[];
  logs: Node['logs'];
  attach: Node['attach'];
  log: Log;
}

export interface Served {
  url: string;
  caPem: string;
  /** Manifests for this server alone. */
  manifests: readonly string[];
  /** How the node sees the cluster. */
  asNode(client: Client): Client;
  /** Starts what the API server does not do by itself. */
  startControllers(world: World): Promise<Part>;
  close(): Promise<void>;
}

const together = (parts: Part[]): Part => ({
  stop: async () => void (await Promise.all(parts.map((part) => part.stop()))),
});

async function serveStandIn({ folder, port, people, logs, attach, log }: ServeOptions): Promise<Served> {
  const server = await startApiServer({ dataDir: folder, port, now: () => new Date(), people, log, logs, attach });
  return {
    ...server,
    manifests: [],
    asNode: (client) => client,
    startControllers: async (world) => controllersOf(world, server.caPem),
  };
}

const controllersOf = (world: World, caPem: string): Part =>
  together([startDeployments(world), startClaims(world), startRootCa(world, caPem)]);

/** Without a controller manager the stand-in's controllers do what they do for the stand-in. */
async function serveKubernetes({ engine: binaries, ...options }: ServeOptions & { engine: Binaries }): Promise<Served> {
  const { folder, logs, log } = options;
  const home = engineFolder(folder);
  const auditLog = join(folder, 'audit.log');
  const definitions = [...options.definitions, ...knativeKinds()];
  const started = { ...options, folder: home, binaries, definitions, controllers: true, auditLog };
  const engine = await startEngine(started);
  const { url, caPem, controllers, version, stop } = engine;
  if (!controllers) log('no controller manager is found: nothing collects garbage, and deleted namespaces stay');
  return {
    url,
    caPem,
    manifests: ['rbac/policies'],
    asNode: (client) => asNode(client, NODE_NAME),
    startControllers: async (world) => {
      await engine.controllersReady;
      const kubelet = await startKubelet({ ...world, name: NODE_NAME, pki: join(home, FILES.pki), version, logs });
      const scheduler = startScheduler(world, NODE_NAME);
      return together([kubelet, scheduler, ...(controllers ? [] : [controllersOf(world, caPem)])]);
    },
    close: () => stop(),
  };
}

/** Starts it; ready when the promise resolves. Throws where the port is taken. */
export const serve = ({ engine, ...options }: ServeOptions): Promise<Served> =>
  engine ? serveKubernetes({ ...options, engine }) : serveStandIn(options);
