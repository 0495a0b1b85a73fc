/** What the journal remembers of a budget: what each turn used, and what was said at the limit. */
import { z } from 'zod';
import { type Budget, budget, money } from '../../lib/api/budget.ts';
import type { Raised } from './budget.ts';
import { addUsage, type Spent, type TurnUsage } from './usage.ts';

/** What a turn used, beside the rest of a record. */
export const turnUsage = {
  inputTokens: z.int().optional(),
  cachedTokens: z.int().optional(),
  outputTokens: z.int().optional(),
  /** What the conversation has cost so far. */
  cost: money.optional(),
};

/** The answer at the limit: on, up to `limit` or without knowing the cost, or not. */
export const budgetRecord = z.object({
  type: z.literal('budget'),
  goOn: z.boolean(),
  limit: budget.optional(),
  blind: z.boolean().optional(),
  /** After a no: up to which number messages are not handed over any more. */
  passedOver: z.int().optional(),
});

/** What was said at the limit. */
export interface Said {
  /** How often it was answered. */
  round: number;
  /** The last answer was no, and no message came since. */
  stopped: boolean;
  raised: Raised;
}

export const nothingSaid = (): Said => ({ round: 0, stopped: false, raised: { limit: {}, blind: false } });

/** Takes in an answer. */
export function noteAnswer(said: Said, { goOn, limit, blind }: z.infer<typeof budgetRecord>): void {
  said.round += 1;
  said.stopped = !goOn;
  said.raised = { limit: higher(said.raised.limit, limit), blind: said.raised.blind || blind === true };
}

const higher = (before: Budget, now: Budget | undefined): Budget => ({ ...before, ...now });

/** Takes in what a turn used; a field that a record has as `undefined` is not there. */
export const noteUsage = (spent: Spent, record: { [Key in keyof TurnUsage]: TurnUsage[Key] | undefined }): void =>
  addUsage(spent, JSON.parse(JSON.stringify(record)) as TurnUsage);
