/** What a Session has used, of what it may use, and how far its agent says it is, in words. Pure. */
import type { Session } from '../../lib/api/session.ts';
import { safeLine } from '../output/safe.ts';

type Part = Pick<Session, 'spec' | 'status'>;
type Usage = NonNullable<NonNullable<Session['status']>['usage']>;

const grouped = (count: number): string => count.toLocaleString('en');

const UNITS: [from: number, unit: string][] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** A count in a column: `812`, `1.2k`, `34M`. */
export function short(count: number): string {
  const [from, unit] = UNITS.find(([least]) => count >= least) ?? [1, ''];
  const value = count / from;
  return `${unit === '' || value >= 10 ? Math.floor(value) : Math.floor(value * 10) / 10}${unit}`;
}

/** Tokens that count for a budget; `undefined` where the agent tells none. */
export const tokensUsed = ({ inputTokens, outputTokens }: Usage = {}): number | undefined =>
  inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0);

/** `1,200 in, 300 out, 9,000 from the cache`. */
export function tokenWords(usage: Usage = {}): string | undefined {
  if (tokensUsed(usage) === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0, cachedTokens } = usage;
  const cached = cachedTokens === undefined ? '' : `, ${grouped(cachedTokens)} from the cache`;
  return `${grouped(inputTokens)} in, ${grouped(outputTokens)} out${cached}`;
}

/** `0.42 USD`. */
export const costWords = ({ cost }: Usage = {}): string | undefined =>
  cost && safeLine(`${cost.amount} ${cost.currency}`);

/** `3 of 7: Write the tests`. */
export function planWords({ status }: Part): string | undefined {
  const { done, total, current } = status?.plan ?? { done: 0, total: 0 };
  if (total === 0) return undefined;
  return `${done} of ${total}${current === undefined ? '' : `: ${safeLine(current)}`}`;
}

/** How much of the budget is used; a cost that the agent does not tell is said to be so. */
export function budgetWords({ spec, status }: Part): string | undefined {
  const { tokens, cost } = status?.budget ?? spec.budget ?? {};
  const parts = [
    tokens === undefined ? '' : `${grouped(tokensUsed(status?.usage) ?? 0)} of ${grouped(tokens)} tokens`,
    cost ? `${spentOf(cost.currency, status?.usage)} of ${cost.amount} ${cost.currency}` : '',
  ];
  return safeLine(parts.filter(Boolean).join(', ')) || undefined;
}

function spentOf(currency: string, { cost, turns = 0 }: Usage = {}): string {
  if (cost?.currency === currency) return cost.amount;
  return turns > 0 ? 'an unknown part (the agent reports no cost)' : '0';
}
