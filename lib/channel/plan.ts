/**
 * When people are told, and when not. A Question is told once: before anything is sent, the status says `Sending`, under
 * the condition that nobody else has written meanwhile. Whoever finds `Sending` leaves it alone, until it is so old that
 * its sender must have died; then the message is looked for first. What fails is tried again later and later, by
 * whatever event comes then or by the sweep. Pure.
 */
import { toTimestamp } from '../api/conditions.ts';
import type { Condition } from '../api/meta.ts';
import type { Notice } from '../api/question-notices.ts';
import type { ChannelError } from './channel.ts';
import type { Wanted } from './settings.ts';

/** The condition that says whether people were told. */
export const NOTIFIED = 'Notified';

/** A sender that has not ended in this time has died: more than all its requests may take. Milliseconds. */
export const SENDER_DIED = 15_000;
/** Milliseconds until the first new try; each is twice the one before. */
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 15 * 60_000;

export type Step =
  | { do: 'nothing' }
  /** Somebody is at it, or it is too early: in so many seconds. */
  | { do: 'wait'; seconds: number }
  | { do: 'post'; claim: Notice }
  /** As `post`, where an earlier run may have sent it at that time. */
  | { do: 'recover'; claim: Notice; since: number }
  | { do: 'update'; claim: Notice }
  | { do: 'remind'; claim: Notice };

export interface Situation {
  wanted: Wanted;
  /** What was noted before about this channel. */
  notice: Notice | undefined;
  /** What a message would show now, as a digest. */
  shown: string;
  isOpen: boolean;
  /** Whether people are to be reminded, if they were not yet. */
  isDue: boolean;
}

const secondsTo = (time: number, now: Date): number => Math.max(1, Math.ceil((time - now.getTime()) / 1000));

/** What to do about one channel. */
export function planNotice(situation: Situation, now: Date): Step {
  const { wanted, notice, shown, isOpen, isDue } = situation;
  if (!notice) return isOpen ? { do: 'post', claim: claimed(fresh(wanted), now) } : { do: 'nothing' };
  if (notice.state === 'Sent' && notice.shown === shown) return reminding(notice, isDue);
  const due = dueAt(notice);
  if (due > now.getTime()) return { do: 'wait', seconds: secondsTo(due, now) };
  return again(notice, isOpen, claimed(notice, now));
}

/** Noted before it is sent, and sent once at most: a reminder that is lost is better than ten. */
const reminding = (notice: Notice, isDue: boolean): Step =>
  isDue && !notice.reminded ? { do: 'remind', claim: { ...notice, reminded: true } } : { do: 'nothing' };

const claimed = (notice: Notice, now: Date): Notice => ({ ...notice, state: 'Sending', at: toTimestamp(now) });

/** What to do about a message that is not as it should be, or about none. */
function again({ state, id, at }: Notice, isOpen: boolean, claim: Notice): Step {
  if (id || state === 'Sent') return { do: 'update', claim };
  if (state === 'Sending') return { do: 'recover', claim, since: Date.parse(at) };
  // What nobody was told of, and is decided, needs no telling.
  return isOpen ? { do: 'post', claim } : { do: 'nothing' };
}

const fresh = ({ channel, to }: Wanted): Notice => ({
  channel,
  // A URL may hold a secret, and a status is read by many.
  ...(!to.includes('://') && { to }),
  state: 'Sending',
  at: '',
  tries: 0,
});

function dueAt({ state, at, again }: Notice): number {
  if (state === 'Sending') return Date.parse(at) + SENDER_DIED;
  return again ? Date.parse(again) : 0;
}

/** The notice once it was sent. */
export const sent = ({ again: _, ...claim }: Notice, id: string | undefined, shown: string): Notice => ({
  ...claim,
  ...(id !== undefined && { id }),
  state: 'Sent',
  shown,
  tries: 0,
});

/** The notice once sending has failed. */
export function failed(claim: Notice, error: ChannelError, now: Date): Notice {
  const tries = Math.min(claim.tries + 1, 100);
  const pause = Math.min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE);
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  const wait = error.passes ? Math.max(pause, asked) : LONGEST_PAUSE;
  return { ...claim, state: 'Failed', tries, again: toTimestamp(new Date(now.getTime() + wait)) };
}

/** What the condition says of all channels together; `problem` of one that failed just now. */
export function tellingOf(
  notices: readonly Notice[],
  problem: { channel: string; error: ChannelError } | undefined,
): Pick<Condition, 'status' | 'reason' | 'message'> | undefined {
  if (problem) {
    const message = `${problem.channel}: ${problem.error.message}. All other ways to answer work.`;
    return { status: 'False', reason: problem.error.reason, message };
  }
  // One of them failed earlier, and the condition says why.
  if (notices.some(({ state }) => state === 'Failed')) return undefined;
  if (notices.some(({ state }) => state === 'Sending'))
    return { status: 'Unknown', reason: 'Sending', message: 'people are being told' };
  return { status: 'True', reason: 'Sent', message: `told by ${notices.map(({ channel }) => channel).join(', ')}` };
}
