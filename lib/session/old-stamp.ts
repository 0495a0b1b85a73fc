/**
 * What is done with an old stamp: nothing that makes or widens anything, but a workload still goes to zero. A Session that
 * is as it should be is left as it is, and says nothing of it. Pure.
 */
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { NOTHING, type Plan } from '../plan.ts';
import { askedAt, expiredStamp, isOlder, LEAST_MAX_AGE_MS, withMaxAge } from './stamp-age.ts';
import type { AtZero } from './status.ts';

export interface Aging {
  session: Stored<Session>;
  now: Date;
  /** Where the project says nothing; absent: a stamp is never too old. */
  maxAge: string | undefined;
  zero: AtZero | undefined;
}

export interface Plans {
  /** With a stamp that is young enough. */
  young: Plan;
  /** The same, if all that was reported is believed. */
  atAGlance: () => Plan;
  /** Takes the workload to zero, and no more; `undefined` where there may be none. */
  toZero: () => Plan | undefined;
}

/** Whether a plan makes something, or is about to. */
const acts = ({ ensure, again }: Plan, { zero }: Aging): boolean => ensure.length > 0 || (again === true && !zero);

/** Which of the plans holds. The project's settings are read only where what they say can matter. */
export function byAge(aging: Aging, plans: Plans): Plan {
  const { session, now, maxAge } = aging;
  const asked = askedAt(session, now);
  if (maxAge === undefined || !acts(plans.young, aging) || now.getTime() - asked <= LEAST_MAX_AGE_MS)
    return plans.young;
  const within = (limit: string): Plan => (isOlder(asked, limit, now) ? old(aging, plans, limit) : plans.young);
  return withMaxAge(session.metadata.namespace, maxAge, within);
}

function old(aging: Aging, { young, atAGlance, toZero }: Plans, limit: string): Plan {
  const refusal = expiredStamp(aging.session, limit, aging.now);
  const glance = atAGlance();
  if (!acts(glance, aging)) return { ...glance, withheld: { ensure: young.ensure, refusal } };
  return (aging.zero && toZero()) ?? { ...NOTHING, refusal };
}
