/**
 * What the harness does next: a pure function of its journal, its Session and the time. After a kill anywhere it
 * gives the same answer, or the one that resumes.
 */
import type { Over } from './budget.ts';
import type { Finish, OpenTurn, Progress, Source } from './journal.ts';
import { MAX_STALLS } from './stall.ts';

/** How often one turn is handed over again before the Session is given up. */
export const MAX_RESUMES = 10;

/** How often in a row the agent is started before the Session is given up. */
export const MAX_STARTS = 6;

/** What `next` reads besides the journal. Times are milliseconds since 1970. */
export interface View {
  now: number;
  hasRepository: boolean;
  /** How many `spec.messages` there are. */
  messages: number;
  /** `status.messagesRead`. */
  read: number;
  finishAfterMs: number;
  deadlineAt: number | undefined;
  /** What of the budget is used up. */
  over?: Over | undefined;
}

export type Step =
  | { do: 'clone' }
  /** Hand over the prompt or message for the first time. */
  | { do: 'prompt'; turn: number; from: Source }
  /** The turn was begun before a kill; whether the agent had the prompt is for the conversation to say. */
  | { do: 'resume'; turn: number; from: Source; attempt: number }
  | ({ do: 'finish' } & Finish)
  | { do: 'reopen' }
  /** A person is asked whether to go on. */
  | { do: 'budget'; over: Over }
  /** Until the time, or until a message comes. */
  | { do: 'wait'; until?: number };

/** The next step. */
export function next(progress: Progress, view: View): Step {
  const expired = view.deadlineAt !== undefined && view.now >= view.deadlineAt;
  if (progress.finished) return !expired && hasUnread(progress, view) ? { do: 'reopen' } : { do: 'wait' };
  if (expired) {
    return {
      do: 'finish',
      reason: 'Deadline',
      message: 'the deadline of the Session has passed; make another Session to go on',
    };
  }
  if (view.hasRepository && !progress.cloned) return { do: 'clone' };
  return withinBudget(workOrGiveUp(progress, view), progress, view.over);
}

/** Nothing more is handed over once the budget is used up; what was done by then counts. */
function withinBudget(step: Step, { budget }: Progress, over: Over | undefined): Step {
  if (over && budget.stopped) return { do: 'finish', reason: 'Budget', message: USED_UP };
  return over && (step.do === 'prompt' || step.do === 'resume') ? { do: 'budget', over } : step;
}

const USED_UP =
  'the budget of the Session is used up, and it was answered not to go on; a message that the agent had not read by then is passed over, and a new one (`tiny send`) asks again';

const workOrGiveUp = (progress: Progress, view: View): Step => startedInVain(progress) ?? turnOrRest(progress, view);

function startedInVain({ unstarted }: Progress): Step | undefined {
  if (!unstarted || unstarted.tries < MAX_STARTS) return undefined;
  return { do: 'finish', reason: 'Failed', message: lost(unstarted.why) };
}

const lost = (why: string): string =>
  `the agent was started ${MAX_STARTS} times and did not come up; the last time: ${why}. See the log of the pod and its memory limit (spec.resources), then send a message to try again`;

function turnOrRest(progress: Progress, view: View): Step {
  if (progress.open) return resumeOrGiveUp(progress.open);
  const turn = progress.turns + 1;
  if (!progress.prompted) return { do: 'prompt', turn, from: 'prompt' };
  if (progress.last?.error !== undefined) return { do: 'finish', reason: 'Failed', message: progress.last.error };
  if (hasUnread(progress, view)) return { do: 'prompt', turn, from: handedOver(progress, view) };
  return finishOrWait(progress, view);
}

function resumeOrGiveUp({ turn, from, attempts, stalls, why }: OpenTurn): Step {
  const failed = (message: string): Step => ({ do: 'finish', reason: 'Failed', message });
  if (stalls >= MAX_STALLS) {
    return failed(
      `the agent hung ${MAX_STALLS} times in turn ${turn}, saying nothing for spec.idle.stalledAfter each time; see the log of the pod and what the agent waits for, then send a message to try again`,
    );
  }
  if (attempts <= MAX_RESUMES) return { do: 'resume', turn, from, attempt: attempts };
  return failed(
    `the agent was ended in the middle of turn ${turn} and resumed ${MAX_RESUMES} times without finishing it${why === undefined ? '' : `; the last time: ${why}`}. See the log of the pod, then send a message to try again`,
  );
}

function finishOrWait(progress: Progress, view: View): Step {
  const until = (progress.last?.at ?? 0) + view.finishAfterMs;
  if (view.now >= until) return { do: 'finish', reason: 'Completed', message: 'the agent has done its work' };
  return { do: 'wait', until: Math.min(until, view.deadlineAt ?? until) };
}

/** A lost volume loses the journal; what the Session says was read stays read. */
const handedOver = (progress: Progress, view: View): number => Math.max(progress.messages, view.read);

const hasUnread = (progress: Progress, view: View): boolean => handedOver(progress, view) < view.messages;
