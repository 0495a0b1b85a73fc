/** When a Session's workload is at zero and why, and when the Session itself goes. Pure functions of it and now. */
import { findCondition, isTrue } from '../api/conditions.ts';
import type { Condition } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { type AtZero, CONDITION, hasUnreadMessages, type WaitsFor } from './status.ts';

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

function isPastDeadline(session: Session, now: Date): boolean {
  const deadline = deadlineAt(session);
  return deadline !== undefined && deadline <= now;
}

/** Why the workload is to be at zero at `now`; `undefined` where it is to run. */
export function atZero(session: Session, now: Date): AtZero | undefined {
  if (session.spec.suspend) return 'Requested';
  const unread = hasUnreadMessages(session);
  if (isTrue(session, CONDITION.finished) && !unread) return 'Finished';
  if (isPastDeadline(session, now)) return 'Deadline';
  return !unread && sleeps(session, now) ? 'Idle' : undefined;
}

/** Whether the agent has waited longer than the spec lets it, since a person last touched the Session. */
function sleeps(session: Session, now: Date): boolean {
  const { idle, touched } = session.spec;
  const waiting = findCondition(session, CONDITION.waiting);
  if (!idle.suspendAfter || waiting?.status !== 'True' || isToFinish(waiting, idle.finishAfter, now)) return false;
  const since = Math.max(Date.parse(waiting.lastTransitionTime), touched ? Date.parse(touched) : 0);
  return since + milliseconds(idle.suspendAfter) <= now.getTime();
}

/** Whether no message has come for so long that the agent says that it has finished, for which it has to be awake. */
const isToFinish = ({ reason, lastTransitionTime }: Condition, finishAfter: string, now: Date): boolean =>
  reason === ('Message' satisfies WaitsFor) && later(lastTransitionTime, finishAfter) <= now.getTime();

/** Whether the Session has been finished for longer than it is kept; not while a message is to be read still. */
export function isPastRetention(session: Session, now: Date): boolean {
  const { ttlAfterFinished } = session.spec;
  const finished = findCondition(session, CONDITION.finished);
  if (!ttlAfterFinished || finished?.status !== 'True') return false;
  if (hasUnreadMessages(session) && !isPastDeadline(session, now)) return false;
  return later(finished.lastTransitionTime, ttlAfterFinished) <= now.getTime();
}
