/**
 * A real kube-apiserver with its etcd and, where it is there, the controller manager: on loopback, all they keep in one
 * folder. Started again on that folder they go on with the same data.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Person } from '../../lib/api/meta.ts';
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
import { type Child, startChild } from './child.ts';
import { AUDIT_POLICY, AUTHENTICATION, kubeconfig, tokenFile } from './configuration.ts';
import { ensurePki, readPki } from './pki.ts';

export interface EngineOptions extends Variant {
  /** Holds everything that lasts. */
  folder: string;
  binaries: Binaries;
  /** 0 or absent: a free one. */
  port?: number;
  /** By their bearer token. The administrator is not among them. */
  people?: ReadonlyMap<string, Person>;
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
  /** Whether the controller manager runs. */
  controllers: boolean;
  /** Ends it all; `graceMs` (default 10,000) for each program. */
  stop(graceMs?: number): Promise<void>;
}

/** A program of the engine has ended by itself. */
export class EngineFailed extends Error {
  override name = 'EngineFailed';
}

const ADMIN = 'tiny:engine-admin';
const CONTROLLERS = 'system:kube-controller-manager';
const READY_MS = 60_000;
const STEP_MS = 25;

/** Throws `EADDRINUSE` where the port is another's. */
async function claimPort(wanted: number): Promise<number> {
  const server = createServer();
  const port = await listen(server, wanted);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until `isReady`. Throws `EngineFailed` where the program ends first, or takes too long. */
async function ready(child: Child, folder: string, isReady: () => Promise<boolean>): Promise<void> {
  const log = `Its log is ${join(folder, `${child.name}.log`)}.`;
  const ended = child.exited.then((said) => {
    throw new EngineFailed(`${child.name} ended before it was ready:\n${said}\n${log}`);
  });
  ended.catch(() => undefined);
  for (const until = Date.now() + READY_MS; Date.now() < until; await Promise.race([ended, setTimeout(STEP_MS)]))
    if (await Promise.race([ended, isReady()])) return;
  throw new EngineFailed(`${child.name} is not ready after ${READY_MS / 1000} s. ${log}`);
}

const accepts = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

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

const health = (url: string, ca: string) => {
  const transport = makeTransport({ server: url, ca, userAgent: 'tiny-engine', timeoutMs: 5000, now: Date.now });
  return (path: string, token?: string) =>
    transport
      .read({ method: 'GET', path, ...(token && { headers: [['authorization', `Bearer ${token}`]] }) })
      .then(() => true)
      .catch(() => false);
};

/** Starts it; ready when the promise resolves. Throws `EngineFailed`, and `EADDRINUSE` where the port is taken. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { folder, binaries } = options;
  const port = await claimPort(options.port ?? 0);
  const url = `https://127.0.0.1:${port}`;
  const auditLog = options.auditLog ?? join(folder, 'audit.log');
  const { caPem, adminToken } = await prepare(options, url);
  const children: Child[] = [];
  const ending = new AbortController();
  const stop = async (graceMs = 10_000) => {
    ending.abort();
    for (const child of children.toReversed()) await child.end(graceMs);
  };
  const run = async (program: string, args: string[], isReady: () => Promise<boolean>) => {
    const child = await startChild(program, args, folder);
    children.push(child);
    await ready(child, folder, isReady);
    void child.exited.then((said) => ending.signal.aborted || options.log(`${child.name} has ended:\n${said}`));
  };
  const answers = health(url, caPem);
  try {
    await run(binaries.etcd, etcdArguments(options), () => accepts(join(folder, ETCD_SOCKET)));
    await run(binaries.apiServer, apiServerArguments(port, auditLog, options), () => answers('/readyz'));
    const { controllerManager } = binaries;
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    if (options.controllers && controllerManager)
      await run(controllerManager, controllerManagerArguments(options), () => answers(account, adminToken));
  } catch (error) {
    await stop(1000);
    throw error;
  }
  return {
    url,
    caPem,
    adminToken,
    adminKubeconfig: join(folder, FILES.admin),
    auditLog,
    version: binaries.version,
    controllers: options.controllers && binaries.controllerManager !== undefined,
    stop,
  };
}
