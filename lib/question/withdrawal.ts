/** When a Question is no longer anybody's: the Session that asked it has ended, and nobody waits for the answer. Pure. */
import { isTrue } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';

/** Why nobody waits for the answer any more; `undefined` where somebody does. */
export function withdrawal(question: Stored<Question>, session: Stored<Session> | undefined): string | undefined {
  const { session: name } = question.spec;
  const owner = question.metadata.ownerReferences?.find(({ kind }) => kind === 'Session');
  // One that no Session owns was asked by hand.
  if (owner && owner.uid !== session?.metadata.uid) return `Session "${name}", which asked, is gone`;
  return session && isTrue(session, 'Finished') ? `Session "${name}", which asked, has finished` : undefined;
}
