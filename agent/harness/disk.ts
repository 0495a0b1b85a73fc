/**
 * Writing into the journal on a volume that may be full. What can't be written down is not done: the Session says so and
 * waits, and goes on at the same place as soon as there is room.
 */
import type { Clock } from '../../lib/kube/clock.ts';
import type { Journal, JournalRecord } from './journal.ts';
import type { Reporter } from './reporter.ts';
import { full } from './telling.ts';

/** No space, or no more of one's quota; a network filesystem says either only when it synchronises. */
const FULL = ['ENOSPC', 'EDQUOT'];
/** How long until the next try. */
const AGAIN_MS = 5000;

/** Whether `error` says that the volume is full. */
export const isFull = (error: unknown): boolean => FULL.includes((error as NodeJS.ErrnoException).code ?? '');

const FULL_WORDS =
  'the volume of the Session is full, so nothing is done until there is room: delete files on it (`kubectl exec`), or make the claim larger where its storage class allows that';

export interface Writing {
  journal: Journal;
  reporter: Reporter;
  clock: Clock;
  stop: AbortSignal;
  log: (line: string) => void;
}

/** Returns once the record is on the disk. Throws `stop`'s reason, and what is wrong with the volume besides being full. */
export async function writeDown(writing: Writing, record: JournalRecord): Promise<void> {
  const { clock, stop, log, reporter } = writing;
  if (appended(writing, record)) return;
  log(FULL_WORDS);
  reporter.tell(full(FULL_WORDS));
  do await clock.sleep(AGAIN_MS, stop);
  while (!appended(writing, record));
}

/** False where the volume is full. */
function appended({ journal }: Writing, record: JournalRecord): boolean {
  try {
    journal.append(record);
    return true;
  } catch (error) {
    if (!isFull(error)) throw error;
    return false;
  }
}
