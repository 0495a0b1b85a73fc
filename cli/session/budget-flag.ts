/** What `--budget` means: tokens as `500000`, `500k` or `2M`, money as `5USD`. Pure. */
import type { Budget } from '../../lib/api/budget.ts';
import { UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';

const TIMES: Record<string, number> = { '': 1, k: 1e3, M: 1e6, G: 1e9 };

/** The budget of all that was given. Throws a UsageError. */
export const budgetOf = (given: readonly string[]): Budget => Object.assign({}, ...given.map(one));

function one(text: string): Budget {
  const [, count, unit = ''] = /^([0-9]+(?:[.][0-9]+)?)([kMG]?)$/.exec(text) ?? [];
  const tokens = Number(count) * (TIMES[unit] ?? 1);
  if (Number.isSafeInteger(tokens)) return { tokens };
  const [, amount, currency] = /^([0-9]+(?:[.][0-9]+)?) ?([A-Za-z]{2,16})$/.exec(text) ?? [];
  if (amount !== undefined && currency !== undefined) return { cost: { amount, currency } };
  throw new UsageError(
    `--budget "${safeLine(text)}" is neither a number of tokens nor an amount of money`,
    'Tokens: 500000, 500k or 2M. Money, where the agent reports a cost: 5USD or 2.50EUR.',
  );
}
