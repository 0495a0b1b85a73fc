/** What a Session is told of itself, as conditions: where its workload is, and Ready where that is ours to say. Pure. */
import { alreadySays, findCondition, type Telling, transition } from '../api/conditions.ts';
import type { Condition, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import type { Report } from '../plan.ts';
import { AT_ZERO_MESSAGE, type AtZero, CHANGING, CONDITION, STARTING, SUSPENDED, tellsReady } from './status.ts';

/** Whether the workload was last seen to be at one. */
export const isAtOne = (session: Stored<Session>): boolean =>
  findCondition(session, CONDITION.suspended)?.status === 'False';

/** Whether it was last seen to be at zero. */
export const isAtZero = (session: Stored<Session>): boolean =>
  findCondition(session, CONDITION.suspended)?.status === 'True';

/** Beside it stands what else is ours to say, unchanged: server-side apply takes away what is left out. */
export function announcement(session: Stored<Session>, now: Date): Report {
  const message = 'the workload is being changed';
  const told = {
    type: CONDITION.suspended,
    status: 'Unknown',
    reason: CHANGING,
    message,
    ...observed(session),
  } as const;
  const others = [CONDITION.materialised, ...(tellsReady(session) ? [CONDITION.ready] : [])];
  const kept = others.flatMap((type) => findCondition(session, type) ?? []);
  return { conditions: [...kept, transition(session, told, now)] };
}

/** What is told when all is done: the workload's state, and Ready where it is ours to say. */
export function tellings(session: Stored<Session>, zero: AtZero | undefined): Telling[] {
  const at = observed(session);
  const running: Telling = {
    type: CONDITION.suspended,
    status: 'False',
    reason: 'Running',
    message: 'the workload is at one',
    ...at,
  };
  return [
    {
      type: CONDITION.materialised,
      status: 'True',
      reason: 'Materialised',
      message: 'all its objects are made',
      ...at,
    },
    zero ? { ...running, status: 'True', reason: zero, message: AT_ZERO_MESSAGE[zero] } : running,
    ...ready(session, zero),
  ];
}

/** Of which generation of the spec it is told. */
export const observed = ({ metadata: { generation } }: Stored<Session>) =>
  generation === undefined ? {} : { observedGeneration: generation };

/** Ready is the agent's to say while it runs and after it has finished; before, between and when put to sleep it is ours. */
function ready(session: Stored<Session>, zero: AtZero | undefined): Telling[] {
  const base = { type: CONDITION.ready, status: 'False', ...observed(session) } as const;
  if (zero === 'Finished') return [asFinished(session)];
  if (zero) return [{ ...base, reason: SUSPENDED, message: AT_ZERO_MESSAGE[zero] }];
  return !isAtOne(session) || tellsReady(session)
    ? [{ ...base, reason: STARTING, message: 'the agent is starting' }]
    : [];
}

/**
 * Both sides say the same of a finished Session. Left out, server-side apply would take away the words that were ours
 * (put to sleep, refused) and leave a condition without any.
 */
function asFinished(session: Stored<Session>): Telling {
  const { reason = '', message = '' } = findCondition(session, CONDITION.finished) ?? {};
  const word = reason === 'Failed' ? 'Failed' : 'Finished';
  return { type: CONDITION.ready, status: 'False', reason: word, message, ...observed(session) };
}

/** Nothing where the Session says it all already. */
export function reportOf(session: Stored<Session>, told: Telling[], now: Date): { report?: Report } {
  const conditions: Condition[] = told.map((telling) => transition(session, telling, now));
  return conditions.every((condition) => alreadySays(session, condition)) ? {} : { report: { conditions } };
}
