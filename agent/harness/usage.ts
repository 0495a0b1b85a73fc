/** What an agent says that it used: tokens at the end of a turn, and what its conversation has cost so far. Pure. */
import type * as acp from '@agentclientprotocol/sdk';
import { fromMillionths, type Money, money, toMillionths, type Usage } from '../../lib/api/budget.ts';

/** What one turn used; what the agent does not tell is absent. */
export interface TurnUsage {
  inputTokens?: number;
  cachedTokens?: number;
  outputTokens?: number;
  /** What the conversation has cost so far, as it was told last. */
  cost?: Money;
}

/** Counters over all turns. Costs are in millionths, by currency. */
export interface Spent {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  costs: Map<string, bigint>;
  /** What each currency's counter of the present conversation said last. */
  readings: Map<string, bigint>;
}

export const nothingSpent = (): Spent => ({
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costs: new Map(),
  readings: new Map(),
});

const countIn = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

/** Token counts, which agents report beside the stable protocol. What is written into a cache was read anew. */
export function usageIn(response: acp.PromptResponse): TurnUsage {
  const usage = (response as { usage?: Record<string, unknown> }).usage ?? {};
  const [input, written] = [countIn(usage['inputTokens']), countIn(usage['cachedWriteTokens'])];
  const [cachedTokens, outputTokens] = [countIn(usage['cachedReadTokens']), countIn(usage['outputTokens'])];
  return {
    ...((input ?? written) !== undefined && { inputTokens: (input ?? 0) + (written ?? 0) }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

/** Of two answers of one turn. */
export function sumOf(one: TurnUsage, other: TurnUsage): TurnUsage {
  const names = ['inputTokens', 'cachedTokens', 'outputTokens'] as const;
  const sums = names.flatMap((name) =>
    one[name] === undefined && other[name] === undefined ? [] : [[name, (one[name] ?? 0) + (other[name] ?? 0)]],
  );
  return { ...one, ...other, ...Object.fromEntries(sums) };
}

const MILLION = 1_000_000;

/** The cost in an update; `undefined` where it has none that can be counted. */
export function costIn({ cost }: acp.UsageUpdate): Money | undefined {
  const amount = cost?.amount;
  if (!cost || typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0 || amount >= 1e9) return undefined;
  const parsed = money.safeParse({
    amount: fromMillionths(BigInt(Math.round(amount * MILLION))),
    currency: cost.currency,
  });
  return parsed.success ? parsed.data : undefined;
}

/**
 * Adds what a turn used to `spent`. A cost is a counter of the conversation: what it grew by is added, and where it is
 * smaller than before, it has begun anew.
 */
export function addUsage(spent: Spent, { inputTokens = 0, cachedTokens = 0, outputTokens = 0, cost }: TurnUsage): void {
  spent.inputTokens += inputTokens;
  spent.cachedTokens += cachedTokens;
  spent.outputTokens += outputTokens;
  if (!cost) return;
  spent.costs.set(cost.currency, spentWith(spent, cost));
  spent.readings.set(cost.currency, toMillionths(cost.amount));
}

/** What was spent of `cost`'s currency in all, millionths, once its counter says `cost`. */
export function spentWith({ costs, readings }: Spent, { amount, currency }: Money): bigint {
  const [reading, before] = [toMillionths(amount), readings.get(currency) ?? 0n];
  return (costs.get(currency) ?? 0n) + (reading >= before ? reading - before : reading);
}

/** What is told of it. Of several currencies the one that was told last. */
export function usageOf({ inputTokens, cachedTokens, outputTokens, costs }: Spent, turns: number): Usage {
  const [currency, millionths] = [...costs].at(-1) ?? [];
  return {
    turns,
    ...(inputTokens > 0 && { inputTokens }),
    ...(cachedTokens > 0 && { cachedTokens }),
    ...(outputTokens > 0 && { outputTokens }),
    ...(currency !== undefined && { cost: { amount: fromMillionths(millionths ?? 0n), currency } }),
  };
}
