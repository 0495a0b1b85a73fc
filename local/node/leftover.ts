/**
 * Processes that an earlier run of the stand-in left when it was killed. They are ended, not adopted: only a
 * parent learns an exit code. A pid alone proves nothing (it may be another's by now), so the start time must fit;
 * without /proc, it must lead a group, as all that `node/process.ts` starts.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../controllers/loop.ts';
import { type Folders, folder, podFolder, podsFolder, tempFolderOf } from './host.ts';
import { send } from './process.ts';

/** State and start time (clock ticks since boot) from a line of /proc/PID/stat; the name before may hold anything. */
const fields = (stat: string) => {
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, start: rest[18] };
};

/** Empty where there is none, or it goes while it is read. */
const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Whether the process that a pid file notes lives, has gone, or the pid is another's. */
function stateOf(pid: number, noted: string): 'lives' | 'gone' | 'other' {
  if (!existsSync('/proc/self/stat')) return send(-pid, 0) ? 'lives' : 'gone';
  const { state, start } = fields(read(`/proc/${pid}/stat`));
  if (start === undefined) return 'gone';
  if (start !== fields(noted).start) return 'other';
  return state === 'Z' ? 'gone' : 'lives';
}

/** Ends what the pid file names, with all that it has started, if it still runs. Resolves when it is gone. */
export async function endLeftover(pidFile: string, graceMs: number): Promise<void> {
  const noted = read(pidFile);
  const pid = Number.parseInt(noted, 10);
  const lives = () => stateOf(pid, noted) === 'lives';
  const isOfThisBoot = statSync(pidFile).mtimeMs > Date.now() - uptime() * 1000;
  if (pid > 1 && isOfThisBoot && stateOf(pid, noted) !== 'other') {
    send(pid, 'SIGTERM');
    for (const until = Date.now() + graceMs; lives() && Date.now() < until; ) await sleep(10);
    // Where its leader is gone, others of the group may live: a pid is not given anew while its group exists.
    send(-pid, 'SIGKILL');
    while (lives()) await sleep(10);
  }
  rmSync(pidFile, { force: true });
}

/** Ends what an earlier run left of any pod, and removes its temporary folder. */
export async function endAllLeftovers(host: Folders, graceMs: number): Promise<void> {
  const end = async (uid: string) => {
    const pids = folder(podFolder(host, uid), 'pids');
    await Promise.all(readdirSync(pids).map((name) => endLeftover(join(pids, name), graceMs)));
    rmSync(tempFolderOf(host, uid), { recursive: true, force: true });
  };
  await Promise.all(readdirSync(podsFolder(host)).map(end));
}
