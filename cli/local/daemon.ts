/** The local cluster's process, seen from the command: started, found again, stopped. It says where it is in `cluster.json`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Kubeconfig } from '../../local/kubeconfig.ts';
import type { UpOptions } from '../../local/main.ts';
import { Failure } from '../failure.ts';

export interface Daemon {
  pid: number;
  kubeconfig: Kubeconfig;
  /** The version of a real API server; absent: the stand-in's runs. */
  kubernetes?: string;
}

const ROOT = join(import.meta.dirname, '../..');
const STEP_MS = 25;

/** The cluster of `folder`, if one runs. */
export function findDaemon(folder: string): Daemon | undefined {
  try {
    const daemon = JSON.parse(readFileSync(join(folder, 'cluster.json'), 'utf8')) as Daemon;
    return commandOf(daemon.pid).includes(folder) ? daemon : undefined;
  } catch {
    return undefined;
  }
}

/** What the process was started with: after a reboot the pid may be another's. Throws where there is none. */
function commandOf(pid: number): string {
  if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
}

export interface Starting {
  folder: string;
  options: UpOptions;
  /** Milliseconds to be ready in. */
  limit: number;
  signal: AbortSignal;
}

/**
 * Starts the process and waits until it is ready, or another that was started in the same moment. Throws `Failure`
 * with the end of its log where it ends first.
 */
export async function startDaemon({ folder, options, limit, signal }: Starting): Promise<Daemon> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const log = join(folder, 'up.log');
  const output = openSync(log, 'a', 0o600);
  const begins = fstatSync(output).size;
  const child = spawn(process.execPath, [join(ROOT, 'local/main.ts'), folder, JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  const ended = new Promise<'ended'>((resolve) => child.once('exit', () => resolve('ended')));
  child.unref();
  for (let waited = 0; waited < limit; waited += STEP_MS) {
    const daemon = findDaemon(folder);
    if (daemon) return others(daemon, child);
    if ((await Promise.race([ended, setTimeout(STEP_MS, 'waits' as const)])) === 'ended') break;
    if (signal.aborted) break;
  }
  child.kill('SIGTERM');
  throw new Failure('the local cluster did not start', ...lastLines(log, begins), `Its log is ${log}.`);
}

/** The daemon; a process of ours that only waited for its folder is not needed then. */
function others(daemon: Daemon, child: ChildProcess): Daemon {
  if (daemon.pid !== child.pid) child.kill('SIGTERM');
  return daemon;
}

/** The last lines that stand in the file after its first `from` bytes. */
function lastLines(file: string, from: number): string[] {
  return readFileSync(file).subarray(from).toString().trimEnd().split('\n').slice(-5);
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
