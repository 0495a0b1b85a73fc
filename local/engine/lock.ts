/** Only one process at a time builds or downloads the engine; the lock is the system's, so that no kill leaves it behind. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { Say } from './binaries.ts';

export interface Waiting {
  say: Say;
  /** What is said while another has it. */
  busy: string;
  signal?: AbortSignal | undefined;
}

function take(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch {
    return false;
  }
}

/** Does `work` while nobody else has the lock `file`. */
export async function locked<T>(file: string, { say, busy, signal }: Waiting, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    while (!take(lock)) {
      say(busy);
      await setTimeout(300, undefined, signal && { signal });
    }
    return await work();
  } finally {
    lock.close();
  }
}
