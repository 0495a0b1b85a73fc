/**
 * A Session's state in one word: the reason of its Ready condition, as kubectl's State column shows it, but where more
 * is known: that it is being deleted, why it ended or was refused, and that one that sleeps waits for an answer. Pure.
 */
import { findCondition, isTrue } from '../../lib/api/conditions.ts';
import type { Condition, Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { STUCK } from '../../lib/sweep/stuck.ts';

const endWord = ({ completed, reason }: { completed: boolean; reason: string }): string =>
  completed ? 'Finished' : reason;

/** `Terminating`, `Finished` or the way in which it ended otherwise, why it was refused, else as Ready says; `Pending` before anybody looked. */
export function sessionState(session: Stored<Session>): string {
  if (session.metadata.deletionTimestamp) return 'Terminating';
  const end = ending(session);
  if (end) return endWord(end);
  const materialised = findCondition(session, 'Materialised');
  if (materialised?.status === 'False') return materialised.reason;
  const stuck = hangsOn(session);
  if (stuck) return stuck.reason;
  if (isTrue(session, 'Suspended')) return isTrue(session, 'Waiting') ? 'Waiting' : 'Suspended';
  return findCondition(session, 'Ready')?.reason ?? 'Pending';
}

/** The line that says most about a Session now: why it was refused or failed, else what its agent says of itself. */
export function sessionMessage(session: Stored<Session>): string {
  const materialised = findCondition(session, 'Materialised');
  if (materialised?.status === 'False') return materialised.message;
  const stuck = hangsOn(session);
  if (stuck) return stuck.message;
  const finished = findCondition(session, 'Finished');
  if (finished?.status === 'True' && finished.reason !== 'Completed') return finished.message;
  return session.status?.message ?? '';
}

/** What keeps its pod from running, as the sweep found it. */
function hangsOn(session: Stored<Session>): Condition | undefined {
  const stuck = findCondition(session, STUCK);
  return stuck?.status === 'True' && !isTrue(session, 'Suspended') ? stuck : undefined;
}

/** How a Session that has finished went; `undefined` where it hasn't. */
export function ending(session: Stored<Session>): { completed: boolean; reason: string; message: string } | undefined {
  const finished = findCondition(session, 'Finished');
  if (finished?.status !== 'True') return undefined;
  return { completed: finished.reason === 'Completed', reason: finished.reason, message: finished.message };
}
