/**
 * The Question at the limit of a budget. The harness says what is used up, and the words and options are made here: its
 * socket is open to the agent's processes too, and they are not to word what a person is asked in tiny's name.
 */
import { z } from 'zod';
import { money } from '../../lib/api/budget.ts';
import type { QuestionSpec } from '../../lib/api/question.ts';

const { amount, currency } = money.shape;
const over = z.discriminatedUnion('what', [
  z.object({ what: z.literal('tokens'), used: z.int().min(0), limit: z.int().min(1) }),
  z.object({ what: z.literal('cost'), used: amount, limit: amount, currency }),
  z.object({ what: z.literal('unreported'), currency }),
]);

/** The body of a request for it; `round` counts what was answered before. */
export const budgetRequest = z.object({ round: z.int().min(0), over });
export type BudgetRequest = z.infer<typeof budgetRequest>;

/** What makes two requests the same one. */
export const budgetKey = (request: BudgetRequest): string => `budget\n${JSON.stringify(request)}`;

const grouped = (count: number): string => count.toLocaleString('en');

function words(session: string, told: z.infer<typeof over>): string {
  if (told.what === 'unreported') {
    return `The agent of Session ${session} reports no cost in ${told.currency}, so its budget (spec.budget.cost) can't be held to. May it go on all the same?`;
  }
  const [used, limit] =
    told.what === 'tokens'
      ? [`${grouped(told.used)} tokens`, grouped(told.limit)]
      : [`${told.used} ${told.currency}`, told.limit];
  return `Session ${session} has used ${used}, and its budget is ${limit}. May it go on with as much again?`;
}

/** The Question. Whoever says no ends the Session; a message goes on with it, and asks again. */
export const budgetQuestion = (session: string, { over: told }: BudgetRequest): QuestionSpec => ({
  session,
  kind: 'Ask',
  text: words(session, told),
  options: [
    { id: 'go-on', text: told.what === 'unreported' ? 'Go on' : 'Go on, with as much again', effect: 'Allow' },
    { id: 'stop', text: 'Stop: finish the Session', effect: 'Deny' },
  ],
});
