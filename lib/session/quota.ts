/** What the API server says when a ResourceQuota is used up, read: which one, of what, and how much there may be. Pure. */

import { isTrue } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { CONDITION } from './status.ts';

export interface Full {
  /** Name of the ResourceQuota. */
  quota: string;
  /** What it limits, such as `count/sessions.tiny.dev`; several with commas. */
  of: string;
  limit: string;
}

const EXCEEDED = /exceeded quota: ([^\s,]+), requested: .*?, used: .*?, limited: (.+)$/s;

/** `undefined` where the message is about something else. */
export function exceeded(message: string): Full | undefined {
  const [, quota, limited] = EXCEEDED.exec(message) ?? [];
  if (!quota || !limited) return undefined;
  const parts = limited
    .trim()
    .split(',')
    .map((part) => part.split('='));
  return { quota, of: parts.map(([of]) => of).join(', '), limit: parts.map(([, limit]) => limit).join(', ') };
}

/** Who has how many Sessions, and how many of them have finished; who has most comes first. */
export function holders(sessions: readonly Stored<Session>[]): { who: string; count: number; finished: number }[] {
  const by = new Map<string, { who: string; count: number; finished: number }>();
  for (const session of sessions) {
    const who = session.spec.requester?.username ?? 'nobody';
    const held = by.get(who) ?? { who, count: 0, finished: 0 };
    const finished = held.finished + (isTrue(session, CONDITION.finished) ? 1 : 0);
    by.set(who, { who, count: held.count + 1, finished });
  }
  return [...by.values()].sort((a, b) => b.count - a.count || (a.who < b.who ? -1 : 1));
}
