/**
 * The harness's memory on the volume: what it was about to do, written before it is done, and what came of it. What
 * is to be done next follows from these records and the Session alone (`next.ts`), whatever was killed in between.
 */
import { z } from 'zod';
import { money, toMillionths } from '../../lib/api/budget.ts';
import { type JsonLines, openJsonLines } from '../json-lines.ts';
import { budgetRecord, noteAnswer, noteUsage, nothingSaid, type Said, turnUsage } from './journal-budget.ts';
import { nothingSpent, type Spent } from './usage.ts';

/** What a turn answers: the Session's prompt, or the message at an index of `spec.messages`. */
const source = z.union([z.literal('prompt'), z.int().min(0)]);
export type Source = z.infer<typeof source>;

const finish = z.object({ reason: z.enum(['Completed', 'Failed', 'Deadline', 'Budget']), message: z.string() });
export type Finish = z.infer<typeof finish>;

const record = z.discriminatedUnion('type', [
  /** The clone is in place, on `branch`, which starts at commit `base`. */
  z.object({ type: z.literal('cloned'), branch: z.string(), base: z.string() }),
  /** The agent's own name of the conversation. */
  z.object({ type: z.literal('session'), id: z.string() }),
  /** The conversation was taken over from another Session; `costs` is what its counters say that it has cost there. */
  z.object({ type: z.literal('imported'), id: z.string(), costs: z.array(money) }),
  /** The agent did not start, for a reason that may pass. */
  z.object({ type: z.literal('unstarted'), why: z.string() }),
  /** A prompt is about to be sent, for the first time or again after a kill. */
  z.object({ type: z.literal('prompt'), turn: z.int(), from: source }),
  /** The agent's process ended in the middle of the turn. */
  z.object({ type: z.literal('lost'), turn: z.int(), why: z.string() }),
  /** The agent hung in the turn and is ended. */
  z.object({ type: z.literal('stalled'), turn: z.int() }),
  /** The turn ended; `error` where the agent said that it failed. */
  z.object({
    type: z.literal('ended'),
    turn: z.int(),
    /** Milliseconds since 1970. */
    at: z.number(),
    stopReason: z.string(),
    summary: z.string(),
    error: z.string().optional(),
    ...turnUsage,
  }),
  /** The turn was broken off at the limit of the budget, and stays open. */
  z.object({ type: z.literal('paused'), turn: z.int(), ...turnUsage }),
  /** What the turn used that was broken off. */
  z.object({ type: z.literal('used'), turn: z.int(), ...turnUsage }),
  budgetRecord,
  /** SIGTERM came: the resume that follows is nobody's fault. */
  z.object({ type: z.literal('stopped') }),
  /** The answer to the permission asked as `content` is about to be handed over; `always` is for the next ones too. */
  z.object({
    type: z.literal('decided'),
    content: z.string(),
    allowed: z.boolean(),
    always: z.boolean(),
    /** What the next ones are known by; default: the same content. */
    remember: z.string().optional(),
  }),
  finish.extend({ type: z.literal('finished') }),
  /** A message came after the finish. */
  z.object({ type: z.literal('reopened') }),
]);
export type JournalRecord = z.infer<typeof record>;
export type Journal = JsonLines<JournalRecord>;

/** Opens the journal at `path`. */
export const openJournal = (path: string): Journal => openJsonLines(path, record);

/** A turn that was begun and has not ended. */
export interface OpenTurn {
  turn: number;
  from: Source;
  /** How often its prompt was handed over. */
  attempts: number;
  /** How often the agent hung in it. */
  stalls: number;
  /** How its process ended last. */
  why?: string;
}

/** What the records amount to. */
export interface Progress {
  cloned?: { branch: string; base: string };
  agentSession?: string;
  /** Whether a turn has ended in that conversation: only then do agents reliably find it again. */
  sessionKept: boolean;
  /** Whether there was work on it before this Session's first turn. */
  imported: boolean;
  open?: OpenTurn;
  /** The starts of the agent that came to nothing since the last one that went well, and why the last of them did. */
  unstarted?: { tries: number; why: string };
  prompted: boolean;
  /** How many of `spec.messages` were handed over. */
  messages: number;
  turns: number;
  /** The last turn that ended. */
  last?: { at: number; summary: string; error?: string };
  spent: Spent;
  /** What was said at the limit of the budget. */
  budget: Said;
  finished?: Finish;
  /** How many answers to a permission request were handed over, by its content. */
  delivered: Map<string, number>;
  /** What was answered with "always", by what it is remembered by. */
  always: Map<string, boolean>;
}

const nothing = (): Progress => ({
  sessionKept: false,
  imported: false,
  prompted: false,
  messages: 0,
  turns: 0,
  spent: nothingSpent(),
  budget: nothingSaid(),
  delivered: new Map(),
  always: new Map(),
});

type Handlers = {
  [T in JournalRecord['type']]: (progress: Progress, record: Extract<JournalRecord, { type: T }>) => void;
};

const HANDLERS: Handlers = {
  cloned: (progress, { branch, base }) => Object.assign(progress, { cloned: { branch, base } }),
  session: (progress, { id }) => {
    Object.assign(progress, { agentSession: id, sessionKept: false });
    progress.spent.readings.clear();
  },
  imported: (progress, { id, costs }) => {
    Object.assign(progress, { agentSession: id, sessionKept: true, imported: true });
    progress.spent.readings = new Map(costs.map(({ amount, currency }) => [currency, toMillionths(amount)]));
  },
  unstarted: (progress, { why }) => {
    progress.unstarted = { tries: (progress.unstarted?.tries ?? 0) + 1, why };
  },
  prompt: (progress, { turn, from }) => {
    delete progress.unstarted;
    const before = progress.open?.turn === turn ? progress.open : { attempts: 0, stalls: 0 };
    progress.open = { ...before, turn, from, attempts: before.attempts + 1 };
    if (from === 'prompt') progress.prompted = true;
    else progress.messages = Math.max(progress.messages, from + 1);
  },
  lost: (progress, { why }) => {
    if (progress.open) progress.open.why = why;
  },
  stalled: (progress) => {
    if (progress.open) progress.open.stalls += 1;
  },
  ended: (progress, { at, summary, error, ...usage }) => {
    delete progress.open;
    progress.turns += 1;
    progress.sessionKept = true;
    progress.last = { at, summary, ...(error !== undefined && { error }) };
    noteUsage(progress.spent, usage);
  },
  paused: (progress, usage) => {
    if (progress.open) progress.open.attempts = 0;
    noteUsage(progress.spent, usage);
  },
  used: (progress, usage) => noteUsage(progress.spent, usage),
  budget: (progress, answer) => {
    noteAnswer(progress.budget, answer);
    progress.messages = Math.max(progress.messages, answer.passedOver ?? 0);
  },
  stopped: (progress) => {
    if (progress.open) progress.open.attempts = 0;
  },
  decided: (progress, { content, allowed, always, remember }) => {
    progress.delivered.set(content, (progress.delivered.get(content) ?? 0) + 1);
    if (always) progress.always.set(remember ?? content, allowed);
  },
  finished: (progress, { reason, message }) => Object.assign(progress, { finished: { reason, message } }),
  reopened: (progress) => {
    delete progress.finished;
    progress.budget.stopped = false;
    delete progress.last;
    delete progress.unstarted;
    if (progress.open) Object.assign(progress.open, { attempts: 0, stalls: 0 });
  },
};

/** What `records` amount to. Pure. */
export function progressOf(records: readonly JournalRecord[]): Progress {
  const progress = nothing();
  for (const one of records) (HANDLERS[one.type] as (progress: Progress, record: JournalRecord) => void)(progress, one);
  return progress;
}
