/**
 * The process of a local cluster: `node local/main.ts FOLDER OPTIONS`, OPTIONS as JSON. `tiny up` starts it and reads
 * `cluster.json` once it is written, which says that all is ready.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/mini';
import { startCluster } from './cluster.ts';
import { startControl } from './control.ts';
import { endEngineLeftovers } from './engine/group.ts';
import { readEnvironment } from './env.ts';
import { engineFolder } from './folders.ts';
import { listen } from './functions/port.ts';

const rate = z.optional(z.number().check(z.minimum(0), z.maximum(1)));
const schema = z.object({
  port: z._default(z.number(), 0),
  project: z._default(z.string(), 'default'),
  idleMs: z._default(z.number(), 30_000),
  /** The programs of a real API server; absent: the stand-in's own. */
  engine: z.optional(
    z.object({
      etcd: z.string(),
      apiServer: z.string(),
      controllerManager: z.optional(z.string()),
      kubectl: z.optional(z.string()),
      version: z.string(),
    }),
  ),
  faults: z._default(z.object({ lose: rate, double: rate, delay: rate, reorder: rate }), {}),
});

/** What `tiny up` may ask of a cluster. */
export type UpOptions = z.input<typeof schema>;

async function main([folder = '', options = '{}']: string[]): Promise<void> {
  // What is made here holds tokens, prompts and people's work: nobody else on the machine is to read it.
  process.umask(0o077);
  const { path, you } = readEnvironment();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder);
  const file = join(folder, 'cluster.json');
  rmSync(file, { force: true });
  const root = join(import.meta.dirname, '..');
  const asked = schema.parse(JSON.parse(options));
  await endEngineLeftovers(engineFolder(folder));
  const port = asked.port || (await portBefore(folder));
  const asksToEnd = endOnSignal();
  const cluster = await startCluster({ ...asked, port, folder, root, you, path, log });
  const control = startControl(folder, cluster.functions);
  void asksToEnd.then(async () => {
    rmSync(file, { force: true });
    control.stop();
    const code = await cluster.stop().then(() => 0, failed);
    lock.close();
    process.exit(code);
  });
  write(join(folder, 'port'), cluster.port);
  write(file, { pid: process.pid, kubeconfig: cluster.kubeconfig, kubernetes: asked.engine?.version });
}

/**
 * Resolves at the first SIGTERM or SIGINT. One that comes while the cluster starts, or once more while it ends, does not
 * cut that short: its processes would be left.
 */
function endOnSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
  return promise;
}

const failed = (error: Error): number => {
  log(error.stack ?? String(error));
  return 1;
};

const log = (line: string) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);

/** Longer than an earlier process takes to end. Milliseconds. */
const LOCK_WAIT_MS = 45_000;

/** Two processes on one folder would run each pod twice. The lock is the system's, so that no kill leaves it behind. */
function lockFolder(folder: string): DatabaseSync {
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: LOCK_WAIT_MS });
  lock.exec('BEGIN EXCLUSIVE');
  return lock;
}

/** The port of last time, so that kubeconfigs stay right; 0 where it is another's now. */
async function portBefore(folder: string): Promise<number> {
  try {
    const port = Number(readFileSync(join(folder, 'port'), 'utf8'));
    const server = createServer();
    await listen(server, port);
    await new Promise((resolve) => server.close(resolve));
    return port;
  } catch {
    return 0;
  }
}

/** All or nothing, and for this user alone: it holds tokens. */
function write(file: string, content: object | number): void {
  writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

await main(process.argv.slice(2)).catch((error: NodeJS.ErrnoException & { port?: number }) => {
  const taken = error.code === 'EADDRINUSE' && `port ${error.port} of 127.0.0.1 is taken: choose another with --port`;
  log(taken || (error.stack ?? String(error)));
  process.exit(1);
});
