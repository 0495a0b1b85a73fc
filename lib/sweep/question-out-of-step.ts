/** Why a Question is worth a look: what an event would have made function question do by now. Pure. */
import { findCondition } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Notice } from '../api/question-notices.ts';
import { SENDER_DIED } from '../channel/plan.ts';
import { remind } from '../channel/remind.ts';
import { digestOf, makeTelling } from '../channel/telling.ts';
import type { Reconciler } from '../plan.ts';
import { decide } from '../question/decision.ts';
import { CONDITION } from '../question/status.ts';
import { type Among, isDue, knowing } from './out-of-step.ts';

/**
 * A Question of which nobody was told is looked at while it is this old, in milliseconds: the project may have no channel. So
 * is one whose message shows less than came of it, while that is this old: the message may be of an earlier version, or past changing.
 */
const UNTOLD = { from: 60_000, to: 15 * 60_000 };

const isWorthIt = (age: number): boolean => age >= UNTOLD.from && age < UNTOLD.to;

/** What the sweep knows besides the Question. */
export interface Around extends Among {
  /** UIDs of Sessions that have finished. */
  finished: ReadonlySet<string>;
}

const ageOf = ({ metadata }: Stored<Question>, now: Date): number =>
  now.getTime() - Date.parse(metadata.creationTimestamp ?? now.toISOString());

/** Whether a message is to be sent, or sent again, by now. Of what was decided before anybody could be told, nobody is. */
function isLate({ state, at, again, id }: Notice, isOpen: boolean, now: Date): boolean {
  if (state === 'Sending') return Date.parse(at) + SENDER_DIED < now.getTime();
  return (
    state === 'Failed' && (isOpen || id !== undefined) && (again === undefined || Date.parse(again) <= now.getTime())
  );
}

function openOutOfStep(question: Stored<Question>, { now, finished }: Around): string | undefined {
  const { notices = [] } = question.status ?? {};
  if (question.metadata.ownerReferences?.some(({ uid }) => finished.has(uid))) return 'nobody waits for it';
  if (remind(question, now).do === 'remind' && notices.some(({ reminded }) => !reminded)) return 'expires soon';
  return notices.length === 0 && isWorthIt(ageOf(question, now)) ? 'nobody was told' : undefined;
}

/** The event of what came of it may be lost, and of its message nothing else would take the buttons. */
function decidedOutOfStep(question: Stored<Question>, now: Date): string | undefined {
  const { notices = [] } = question.status ?? {};
  const acted = findCondition(question, CONDITION.acted);
  if (!acted || !notices.length || !isWorthIt(now.getTime() - Date.parse(acted.lastTransitionTime))) return undefined;
  const shown = digestOf(makeTelling(question, now));
  return notices.some((one) => one.state === 'Sent' && one.shown !== shown) ? 'people see what was asked' : undefined;
}

/** In a word for the log; `undefined` where all is as it should be. */
export function questionOutOfStep(
  questions: Reconciler<Question>,
  question: Stored<Question>,
  around: Around,
): string | undefined {
  const { now } = around;
  const plan = knowing(around.settings, questions.plan(question, now));
  if (isDue(questions, question, { plan, now })) return 'not acted on';
  const isOpen = !findCondition(question, CONDITION.acted) && decide(question, now).state === 'open';
  if (question.status?.notices?.some((notice) => isLate(notice, isOpen, now))) return 'people were not told';
  return isOpen ? openOutOfStep(question, around) : decidedOutOfStep(question, now);
}
