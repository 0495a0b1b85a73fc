/**
 * One harness at a time on a volume. Node has no file locks, SQLite has: an open exclusive transaction is a POSIX record
 * lock (fcntl) that the kernel lets go of however the process ends, so there is no stale lock to judge. It holds between
 * pods of one node, and between nodes where the filesystem passes it on: NFSv4 does, and its server lets go of the locks
 * of a node that is lost when that node's lease ends.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../lib/kube/clock.ts';

/** Another process holds the folder. */
export class LockedError extends Error {
  override name = 'LockedError';
}

/** What is locked; a database that nothing refers to is closed by the garbage collector, and its lock is gone. */
const held = new Set<DatabaseSync>();

/** Locks `folder` until the process ends or the returned function is called. Waits up to `waitMs`; throws `LockedError`. */
export function lockFolder(folder: string, waitMs: number): () => void {
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'lock'));
  try {
    database.exec(`PRAGMA busy_timeout = ${waitMs}; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    if (!/locked|busy/i.test((error as Error).message)) throw error;
    throw new LockedError(
      `another process works on ${folder}; only one pod may use the volume of a Session at a time. This one tries again once it is restarted`,
    );
  }
  held.add(database);
  return () => {
    held.delete(database);
    database.close();
  };
}

/** How often a lock that another process holds is tried. Milliseconds. */
const AGAIN_MS = 1000;

/**
 * Waits for the lock for as long as another process has it: two pods of one Session meet while a node is drained or lost,
 * and the second goes on where the first one ends. False where `signal` aborted first.
 */
export async function lockPatiently(
  folder: string,
  { clock, signal, log }: { clock: Clock; signal: AbortSignal; log: (line: string) => void },
): Promise<boolean> {
  if (isLocked(folder)) return true;
  log(`another pod of this Session works on its volume (${folder}); this one waits until it has ended`);
  while (!signal.aborted) {
    await clock.sleep(AGAIN_MS, signal).catch(() => {});
    if (!signal.aborted && isLocked(folder)) return true;
  }
  return false;
}

/** Whether this process has the lock now. */
function isLocked(folder: string): boolean {
  try {
    lockFolder(folder, 0);
    return true;
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    return false;
  }
}
