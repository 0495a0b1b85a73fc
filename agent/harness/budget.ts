/**
 * Whether a Session is at the limit of its budget, and what the limit is now: the budget, or what somebody has raised it
 * to since. Each yes gives the whole budget again, from what was used by then. Pure.
 */
import { type Budget, fromMillionths, type Money, toMillionths } from '../../lib/api/budget.ts';
import { type Spent, spentWith } from './usage.ts';

/** What is used up; `unreported` is a cost that the agent tells nobody, so that its limit can't be held to. */
export type Over =
  | { what: 'tokens'; used: number; limit: number }
  | { what: 'cost'; used: string; limit: string; currency: string }
  | { what: 'unreported'; currency: string };

/** What was said at the limit so far. */
export interface Raised {
  limit: Budget;
  /** Somebody has said to go on without knowing the cost. */
  blind: boolean;
}

/** The Session's use as it is looked at. */
export interface Used {
  spent: Spent;
  turns: number;
}

const tokensOf = ({ inputTokens, outputTokens }: Spent): number => inputTokens + outputTokens;

const larger = (a: Money, b: Money | undefined): Money =>
  b?.currency === a.currency && toMillionths(b.amount) > toMillionths(a.amount) ? b : a;

/** The limit as it is now. */
export const limitOf = ({ tokens, cost }: Budget, { limit }: Raised): Budget => ({
  ...(tokens !== undefined && { tokens: Math.max(tokens, limit.tokens ?? 0) }),
  ...(cost && { cost: larger(cost, limit.cost) }),
});

/** The limit after a yes: from what is used now, as much again. */
export function raisedLimit({ tokens, cost }: Budget, { spent }: Used): Budget {
  const used = cost ? (spent.costs.get(cost.currency) ?? 0n) : 0n;
  return {
    ...(tokens !== undefined && { tokens: tokensOf(spent) + tokens }),
    ...(cost && { cost: { ...cost, amount: fromMillionths(used + toMillionths(cost.amount)) } }),
  };
}

/** What is used up, if anything is. */
export function overBudget(budget: Budget | undefined, used: Used, raised: Raised): Over | undefined {
  if (!budget) return undefined;
  const { tokens, cost } = limitOf(budget, raised);
  return overTokens(tokens, used) ?? (cost && overCost(cost, used, raised));
}

function overTokens(limit: number | undefined, { spent }: Used): Over | undefined {
  const used = tokensOf(spent);
  return limit !== undefined && used >= limit ? { what: 'tokens', used, limit } : undefined;
}

function overCost({ amount, currency }: Money, { spent, turns }: Used, { blind }: Raised): Over | undefined {
  const used = spent.costs.get(currency);
  if (used === undefined) return turns > 0 && !blind ? { what: 'unreported', currency } : undefined;
  if (used < toMillionths(amount)) return undefined;
  return { what: 'cost', used: fromMillionths(used), limit: amount, currency };
}

/** Whether the cost that the agent has just told is over the limit, in the middle of a turn. */
export function isOverCost(
  budget: Budget | undefined,
  cost: Money,
  { spent, raised }: { spent: Spent; raised: Raised },
): boolean {
  const limit = budget && limitOf(budget, raised).cost;
  return limit?.currency === cost.currency && spentWith(spent, cost) >= toMillionths(limit.amount);
}
