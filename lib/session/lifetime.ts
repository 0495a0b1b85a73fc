/** When a Session's workload is at zero and why, and when the Session itself goes. Pure functions of it and now. */
import { findCondition, isTrue } from '../api/conditions.ts';
import type { Session } from '../api/session.ts';
import { type AtZero, CONDITION, hasUnreadMessages } from './status.ts';

const UNIT = { h: 3_600_000, m: 60_000, s: 1000 } as const;

/** A duration such as `1h30m` in milliseconds. */
export const milliseconds = (duration: string): number =>
  [...duration.matchAll(/([0-9]+)([hms])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * UNIT[unit as keyof typeof UNIT],
    0,
  );

const later = (from: string, duration: string): number => Date.parse(from) + milliseconds(duration);

/** When the Session is ended whatever it does. */
export function deadlineAt({ metadata, spec }: Session): Date | undefined {
  return spec.deadline && metadata.creationTimestamp
    ? new Date(later(metadata.creationTimestamp, spec.deadline))
    : undefined;
}

/** Why the workload is to be at zero at `now`; `undefined` where it is to run. */
export function atZero(session: Session, now: Date): AtZero | undefined {
  const deadline = deadlineAt(session);
  if (session.spec.suspend) return 'Requested';
  if (deadline && deadline <= now) return 'Deadline';
  if (hasUnreadMessages(session)) return undefined;
  if (isTrue(session, CONDITION.finished)) return 'Finished';
  return sleeps(session, now) ? 'Idle' : undefined;
}

/** Whether the agent has waited for an answer longer than the spec lets it. */
function sleeps(session: Session, now: Date): boolean {
  const { suspendAfter } = session.spec.idle;
  const waiting = findCondition(session, CONDITION.waiting);
  return (
    !!suspendAfter && waiting?.status === 'True' && later(waiting.lastTransitionTime, suspendAfter) <= now.getTime()
  );
}

/** Whether the Session has been finished for longer than it is kept. */
export function isPastRetention(session: Session, now: Date): boolean {
  const { ttlAfterFinished } = session.spec;
  const finished = findCondition(session, CONDITION.finished);
  return (
    !!ttlAfterFinished &&
    finished?.status === 'True' &&
    later(finished.lastTransitionTime, ttlAfterFinished) <= now.getTime()
  );
}
