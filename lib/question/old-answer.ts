/**
 * A yes that nobody acted on in time is not acted on later: whoever gave it may have left, and would be acted for by
 * surprise. Its age counts from when it came, as the API server says. The refusal is final, and the agent can ask anew. Pure.
 */
import { toTimestamp } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import { NOTHING, type Plan } from '../plan.ts';
import { isOlder, LEAST_MAX_AGE_MS, withMaxAge } from '../session/stamp-age.ts';
import { answeredAt } from './decision.ts';

interface Acting {
  now: Date;
  /** Where the project says nothing; absent: an answer is never too old. */
  maxAge: string | undefined;
}

/** `plan`, unless the answer that it acts on is too old. The project's settings are read only where that can matter. */
export function unlessTooOld(question: Stored<Question>, plan: Plan, { now, maxAge }: Acting): Plan {
  const came = answeredAt(question);
  if (!came || maxAge === undefined || now.getTime() - came.getTime() <= LEAST_MAX_AGE_MS) return plan;
  const within = (limit: string): Plan => (isOlder(came.getTime(), limit, now) ? tooOld(question, came, limit) : plan);
  return withMaxAge(question.metadata.namespace, maxAge, within);
}

function tooOld({ spec }: Question, came: Date, limit: string): Plan {
  const who = spec.answer?.by?.username ?? 'somebody';
  const message = `the answer of ${who} came at ${toTimestamp(came)} and was acted on by nobody for longer than ${limit} (setting identity.maxAge); nothing was done, and the agent may ask again`;
  return { ...NOTHING, refusal: { reason: 'AnswererExpired', message, passes: false } };
}
