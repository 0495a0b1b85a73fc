/**
 * Processes that an earlier run of the stand-in left when it was killed. They are ended, not adopted: only a
 * parent learns an exit code. A pid alone proves nothing (it may be another's by now), so the start time must fit.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../controllers/loop.ts';
import { folder, type Host, podFolder, tempFolderOf } from './host.ts';
import { send } from './process.ts';

/** State and start time (clock ticks since boot) from a line of /proc/PID/stat; the name before may hold anything. */
const fields = (stat: string) => {
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, start: rest[18] };
};

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** Without /proc: when the process started, to the second, against when the pid file was written. */
function startedWith(pid: number, pidFile: string): boolean {
  try {
    const started = Date.parse(execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }));
    return Math.abs(statSync(pidFile).mtimeMs - started) < 2500;
  } catch {
    return false;
  }
}

function isAlive(pid: number, pidFile: string): boolean {
  if (!existsSync('/proc/self/stat')) return startedWith(pid, pidFile);
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return false;
  const { state, start } = fields(stat);
  return state !== 'Z' && start === fields(read(pidFile) ?? '').start;
}

/** The group's leader is gone but others of it may live: a pid is not given anew while its group exists. */
function killGroup(pid: number): void {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined || fields(stat).state === 'Z') send(-pid, 'SIGKILL');
}

/** Ends what the pid file names, if it still runs; whether it did. Resolves when it is gone. */
export async function endLeftover(pidFile: string, graceMs: number): Promise<boolean> {
  const pid = Number(read(pidFile)?.split(' ')[0]);
  if (!(pid > 1)) return false;
  const forever = new AbortController().signal;
  const found = isAlive(pid, pidFile);
  const isOfThisBoot = statSync(pidFile).mtimeMs > Date.now() - uptime() * 1000;
  if (found) send(pid, 'SIGTERM');
  for (const until = Date.now() + graceMs; isAlive(pid, pidFile) && Date.now() < until; ) await sleep(10, forever);
  if (isAlive(pid, pidFile)) send(-pid, 'SIGKILL');
  while (isAlive(pid, pidFile)) await sleep(10, forever);
  if (isOfThisBoot) killGroup(pid);
  rmSync(pidFile, { force: true });
  return found;
}

/** Ends what an earlier run left of the pod. */
export async function endLeftovers(host: Host, uid: string, graceMs: number): Promise<void> {
  const pids = folder(podFolder(host, uid), 'pids');
  await Promise.all(readdirSync(pids).map((name) => endLeftover(join(pids, name), graceMs)));
}

/** Removes what lies on disk of the pod; its claims stay. */
export function removeFolders(host: Host, uid: string): void {
  for (const path of [podFolder(host, uid), tempFolderOf(host, uid)]) rmSync(path, { recursive: true, force: true });
}
