/**
 * When people are reminded of a Question that will soon expire: once, when a quarter of its time is left, and no earlier
 * than an hour before. Whoever runs on a schedule asks for it; what is told is one message
 * below the one that people have. Pure.
 */
import type { Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import { decide } from '../question/decision.ts';

/** Before so much time is left nobody needs a reminder. Milliseconds. */
const LONGEST = 60 * 60_000;
/** Part of its whole time that is left when it is due. */
const PART = 0.25;

export type Reminder =
  /** None will be due. */
  { do: 'nothing' } | { do: 'wait'; until: Date } | { do: 'remind'; expiresAt: Date };

/** What is due of `question` at `now`. */
export function remind(question: Stored<Question>, now: Date): Reminder {
  const { expiresAt } = question.spec;
  const told = question.status?.notices?.some(({ state }) => state === 'Sent') ?? false;
  if (!expiresAt || !told || decide(question, now).state !== 'open') return { do: 'nothing' };
  const end = Date.parse(expiresAt);
  const whole = end - Date.parse(question.metadata.creationTimestamp ?? expiresAt);
  const due = new Date(end - Math.min(LONGEST, whole * PART));
  return now < due ? { do: 'wait', until: due } : { do: 'remind', expiresAt: new Date(end) };
}
