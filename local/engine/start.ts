/**
 * A real kube-apiserver with its etcd and, where it is there, the controller manager: on loopback, all they keep in one
 * folder. Started again on that folder they go on with the same data.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { KubeObject, Person } from '../../lib/api/meta.ts';
import { makeClient } from '../../lib/kube/client.ts';
import { makeTransport } from '../../lib/kube/transport.ts';
import { listen } from '../functions/port.ts';
import { loadTokens } from '../people.ts';
import {
  apiServerArguments,
  controllerManagerArguments,
  ETCD_SOCKET,
  etcdArguments,
  FILES,
  type Variant,
} from './arguments.ts';
import type { Binaries } from './binaries.ts';
import { AUDIT_POLICY, AUTHENTICATION, kubeconfig, tokenFile } from './configuration.ts';
import { define } from './define.ts';
import { endEngineLeftovers, Group } from './group.ts';
import { ensurePki, readPki } from './pki.ts';

export interface EngineOptions extends Variant {
  /** Holds everything that lasts. */
  folder: string;
  binaries: Binaries;
  /** 0 or absent: a free one. */
  port?: number;
  /** By their bearer token. The administrator is not among them. */
  people?: ReadonlyMap<string, Person>;
  /**
   * CustomResourceDefinitions to begin with. A mutating policy over a kind that comes after the server has looked which
   * kinds there are answers 503 for up to half a minute (seen on 1.37).
   */
  definitions?: readonly KubeObject[];
  /** Whether the controller manager is wanted, too. */
  controllers: boolean;
  /** Default: `audit.log` in the folder. */
  auditLog?: string;
  log: (line: string) => void;
}

export interface Engine {
  url: string;
  caPem: string;
  /** Of `tiny:engine-admin`, in the group `system:masters`. */
  adminToken: string;
  /** A file, for kubectl. */
  adminKubeconfig: string;
  auditLog: string;
  /** Of Kubernetes, as in `1.37.2`. */
  version: string;
  /** Whether the controller manager is started. */
  controllers: boolean;
  /** Resolves when its controllers work. Rejects with `EngineFailed`. */
  controllersReady: Promise<unknown>;
  /** Ends it all; `graceMs` (default 10,000) for each program. */
  stop(graceMs?: number): Promise<void>;
}

const ADMIN = 'tiny:engine-admin';
const CONTROLLERS = 'system:kube-controller-manager';

/** Throws `EADDRINUSE` where the port is another's. */
async function claimPort(wanted: number): Promise<number> {
  const server = createServer();
  const port = await listen(server, wanted);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What the programs read, written anew each time; the certificates and tokens stay. */
async function prepare({ folder, people = new Map() }: EngineOptions, url: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await ensurePki(join(folder, FILES.pki), new Date());
  const tokens = loadTokens(folder, [ADMIN, CONTROLLERS]);
  const [admin = '', controllers = ''] = [tokens[ADMIN], tokens[CONTROLLERS]];
  const own: [string, Person][] = [
    [admin, { username: ADMIN, groups: ['system:masters'] }],
    [controllers, { username: CONTROLLERS, groups: [] }],
  ];
  const authority = join(folder, FILES.pki, 'ca.crt');
  const contents = {
    [FILES.auditPolicy]: JSON.stringify(AUDIT_POLICY),
    [FILES.authentication]: JSON.stringify(AUTHENTICATION),
    [FILES.tokens]: tokenFile(new Map([...own, ...people])),
    [FILES.controllers]: JSON.stringify(kubeconfig(url, authority, controllers)),
    [FILES.admin]: JSON.stringify(kubeconfig(url, authority, admin)),
  };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content, { mode: 0o600 });
  return { caPem: readPki(join(folder, FILES.pki), 'authority'), adminToken: admin };
}

type Access = Pick<Engine, 'url' | 'caPem' | 'adminToken' | 'auditLog'>;

const ASK_MS = 5000;

/** Whether the server answers a GET of `path` well. */
async function answers({ url, caPem, adminToken }: Access, path: string): Promise<boolean> {
  const auth = { token: adminToken };
  const transport = makeTransport({ server: url, ca: caPem, auth, userAgent: ADMIN, timeoutMs: ASK_MS, now: Date.now });
  return transport.read({ method: 'GET', path }).then(
    () => true,
    () => false,
  );
}

/** Starts etcd and the server, and tells it the kinds before anything else asks which there are. */
async function serve(group: Group, options: EngineOptions, access: Access & { port: number }): Promise<void> {
  const { folder, binaries, definitions = [] } = options;
  const { url, port, caPem, adminToken, auditLog } = access;
  rmSync(join(folder, ETCD_SOCKET), { force: true });
  await group.run(binaries.etcd, etcdArguments(options), async () => existsSync(join(folder, ETCD_SOCKET)));
  const args = apiServerArguments(port, auditLog, options);
  await group.run(binaries.apiServer, args, () => answers(access, '/readyz'));
  const client = makeClient({ server: url, ca: caPem, auth: { token: adminToken }, fieldManager: ADMIN });
  await define(client, definitions);
}

const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';

/**
 * Starts it; the API server is ready when the promise resolves. Throws `EngineFailed`, and `EADDRINUSE` where the port
 * is taken.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { folder, binaries, log } = options;
  await endEngineLeftovers(folder);
  const port = await claimPort(options.port ?? 0);
  const url = `https://127.0.0.1:${port}`;
  const auditLog = options.auditLog ?? join(folder, 'audit.log');
  const access = { url, auditLog, ...(await prepare(options, url)) };
  const group = new Group(folder, log);
  try {
    await serve(group, options, { ...access, port });
  } catch (error) {
    await group.stop(1000);
    throw error;
  }
  const manager = options.controllers ? binaries.controllerManager : undefined;
  const args = controllerManagerArguments(options);
  const controllersReady = Promise.resolve(manager && group.run(manager, args, () => answers(access, ACCOUNT)));
  controllersReady.catch(() => undefined);
  return {
    ...access,
    adminKubeconfig: join(folder, FILES.admin),
    version: binaries.version,
    controllers: manager !== undefined,
    controllersReady,
    stop: (graceMs = 10_000) => group.stop(graceMs),
  };
}
