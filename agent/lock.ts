/**
 * One harness at a time on a volume. Node has no flock(2), SQLite has: an open exclusive transaction is a file lock
 * that the kernel lets go of however the process ends, so there is no stale lock to judge.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

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
