/**
 * How a Session that sleeps is woken by an answer, and why none is lost. Whoever puts it to sleep announces that first and
 * reads its Questions afterwards; whoever answers one reads the Session afterwards. So at least one of the two sees the
 * other, in whatever order they come. Pure.
 */
import { findCondition, isTrue, transition } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';
import { QUESTIONS } from '../kube/types.ts';
import type { Plan, Reading, Report } from '../plan.ts';
import { decide } from '../question/decision.ts';
import { type AtZero, CHANGING, CONDITION } from './status.ts';

/** Whether the Session sleeps, or has been announced to be changed: then its agent may not see an answer by itself. */
export const mayHaveToBeWoken = (session: Session): boolean => {
  const reason = findCondition(session, CONDITION.suspended)?.reason ?? '';
  return reason === ('Idle' satisfies AtZero) || reason === CHANGING;
};

/** What a sleeping Session is told when a Question of it is decided; one that is awake sees the answer by itself. */
export function wake(session: Session, question: string, now: Date): Report | undefined {
  if (!mayHaveToBeWoken(session) || !isTrue(session, CONDITION.waiting)) return undefined;
  const message = `Question ${question} is no longer open`;
  const waiting = { type: CONDITION.waiting, status: 'False', reason: 'Answered', message } as const;
  return { conditions: [transition(session, waiting, now)] };
}

/** The Questions that the agent waits for, to be read before it is put to sleep; `undefined` where it waits for none. */
export function unlessAnswered(
  { metadata: { namespace }, status }: Stored<Session>,
  now: Date,
  plan: (isAnswered: boolean) => Plan,
): Reading | undefined {
  const refs = (status?.waitingFor ?? []).map((name) => ({ name, ...(namespace && { namespace }) }));
  if (!refs.length) return undefined;
  const isOpen = (question: Stored<Question> | undefined) => question && decide(question, now).state === 'open';
  return { type: QUESTIONS, refs, plan: (found) => plan(!(found as Stored<Question>[]).every(isOpen)) };
}
