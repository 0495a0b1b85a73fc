/** How a Session that sleeps until an answer comes is woken: it no longer waits, and so its workload is due again. Pure. */
import { findCondition, isTrue, transition } from '../api/conditions.ts';
import type { Session } from '../api/session.ts';
import type { Report } from '../plan.ts';
import { CHANGING, CONDITION } from './status.ts';

/** What a sleeping Session is told when a Question of it is decided; one that is awake sees the answer by itself. */
export function wake(session: Session, question: string, now: Date): Report | undefined {
  const { reason = '' } = findCondition(session, CONDITION.suspended) ?? {};
  if (!['Idle', CHANGING].includes(reason) || !isTrue(session, CONDITION.waiting)) return undefined;
  const message = `Question ${question} is no longer open`;
  const waiting = { type: CONDITION.waiting, status: 'False', reason: 'Answered', message } as const;
  return { conditions: [transition(session, waiting, now)] };
}
