/** The local cluster's process, seen from the command: started, found again, stopped. It says where it is in `cluster.json`. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Kubeconfig } from '../../local/kubeconfig.ts';
import type { UpOptions } from '../../local/main.ts';
import { Failure } from '../failure.ts';

export interface Daemon {
  pid: number;
  kubeconfig: Kubeconfig;
}

const ROOT = join(import.meta.dirname, '../..');
const STEP_MS = 25;

/** The cluster of `folder`, if one runs. */
export function findDaemon(folder: string): Daemon | undefined {
  try {
    const daemon = JSON.parse(readFileSync(join(folder, 'cluster.json'), 'utf8')) as Daemon;
    process.kill(daemon.pid, 0);
    return daemon;
  } catch {
    return undefined;
  }
}

export interface Starting {
  folder: string;
  options: UpOptions;
  /** Milliseconds to be ready in. */
  limit: number;
  signal: AbortSignal;
}

/** Starts the process and waits until it is ready. Throws `Failure` with the end of its log where it ends first. */
export async function startDaemon({ folder, options, limit, signal }: Starting): Promise<Daemon> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(join(folder, 'cluster.json'), { force: true });
  const log = join(folder, 'up.log');
  const output = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [join(ROOT, 'local/main.ts'), folder, JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  const ended = new Promise<'ended'>((resolve) => child.once('exit', () => resolve('ended')));
  child.unref();
  for (let waited = 0; waited < limit; waited += STEP_MS) {
    const daemon = findDaemon(folder);
    if (daemon) return daemon;
    if ((await Promise.race([ended, setTimeout(STEP_MS, 'waits' as const)])) === 'ended') break;
    if (signal.aborted) break;
  }
  child.kill('SIGTERM');
  throw new Failure('the local cluster did not start', ...lastLines(log), `Its log is ${log}.`);
}

function lastLines(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5);
}

/** Asks the process to end and waits until it has. Throws `Failure` where it does not within `limit` milliseconds. */
export async function stopDaemon({ pid }: Daemon, limit: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < limit; waited += STEP_MS) {
    if (!isAlive(pid)) return;
    await setTimeout(STEP_MS);
  }
  throw new Failure(`the local cluster (process ${pid}) does not end`, `\`kill -9 ${pid}\` ends it; nothing is lost.`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
