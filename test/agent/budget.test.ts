import type { PromptResponse, UsageUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { isOverCost, limitOf, overBudget, type Raised, raisedLimit } from '../../agent/harness/budget.ts';
import { addUsage, costIn, nothingSpent, type TurnUsage, usageIn, usageOf } from '../../agent/harness/usage.ts';
import { budgetKey, budgetQuestion, budgetRequest } from '../../agent/tools/budget-question.ts';
import { type Budget, fromMillionths, toMillionths } from '../../lib/api/budget.ts';
import { questionSpec } from '../../lib/api/question.ts';
import { questionRules } from '../../lib/api/question-rules.ts';
import { violations } from '../../lib/api/rule.ts';
import { fc } from '../support/fast-check.ts';

const usd = (amount: string) => ({ amount, currency: 'USD' });
const spentBy = (...turns: TurnUsage[]) => {
  const spent = nothingSpent();
  for (const turn of turns) addUsage(spent, turn);
  return spent;
};
const never: Raised = { limit: {}, blind: false };

describe('money', () => {
  it('is added without a rounding error', () => {
    expect(fromMillionths(toMillionths('0.1') + toMillionths('0.2'))).toBe('0.3');
    expect([0n, 1n, 1_000_000n, 10_500_000n].map(fromMillionths)).toEqual(['0', '0.000001', '1', '10.5']);
  });

  it('comes back as it was, but for zeros at its end', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 999_999_999_999_999n), (millionths) => {
        const amount = fromMillionths(millionths);
        expect(toMillionths(amount)).toBe(millionths);
        expect(amount).toMatch(/^[0-9]{1,9}([.][0-9]{0,5}[1-9])?$/);
      }),
    );
  });
});

describe('what an agent says that it used', () => {
  it('is taken from the answer to a prompt, where it is sound', () => {
    const usage = { inputTokens: 10, cachedReadTokens: 900, cachedWriteTokens: 30, outputTokens: 5, totalTokens: 945 };
    const answer = (usage: unknown) => ({ stopReason: 'end_turn', usage }) as unknown as PromptResponse;
    expect(usageIn(answer(usage))).toEqual({ inputTokens: 40, cachedTokens: 900, outputTokens: 5 });
    expect(usageIn(answer(undefined))).toEqual({});
    expect(usageIn(answer({ inputTokens: -1, outputTokens: 1.5, cachedReadTokens: '9' }))).toEqual({});
  });

  it.each<[cost: unknown, expected: unknown]>([
    [{ amount: 0.4213, currency: 'USD' }, usd('0.4213')],
    [{ amount: 0.1 + 0.2, currency: 'USD' }, usd('0.3')],
    [
      { amount: 3, currency: 'credits' },
      { amount: '3', currency: 'credits' },
    ],
    ...[null, undefined, { amount: -1, currency: 'USD' }, { amount: Number.NaN, currency: 'USD' }].map(
      (cost): [unknown, unknown] => [cost, undefined],
    ),
    [{ amount: 1e12, currency: 'USD' }, undefined],
    [{ amount: 1, currency: '$' }, undefined],
  ])('costs %j', (cost, expected) => {
    expect(costIn({ sessionUpdate: 'usage_update', used: 1, size: 2, cost } as unknown as UsageUpdate)).toEqual(
      expected,
    );
  });

  it('is summed, a cost as a counter that may begin anew', () => {
    const spent = spentBy(
      { inputTokens: 1, outputTokens: 2, cost: usd('0.10') },
      { cachedTokens: 7, outputTokens: 1, cost: usd('0.25') },
      { cost: usd('0.05') },
      {},
    );
    expect(usageOf(spent, 4)).toEqual({ turns: 4, inputTokens: 1, cachedTokens: 7, outputTokens: 3, cost: usd('0.3') });
    expect(usageOf(nothingSpent(), 1)).toEqual({ turns: 1 });
  });
});

describe('the limit', () => {
  const used = (tokens: number, cost?: string, turns = 1) => ({
    spent: spentBy({ outputTokens: tokens, ...(cost !== undefined && { cost: usd(cost) }) }),
    turns,
  });
  it.each<[name: string, budget: Budget | undefined, used: ReturnType<typeof used>, raised: Raised, over: unknown]>([
    ['without a budget: none', undefined, used(9), never, undefined],
    ['of nothing: none', {}, used(9), never, undefined],
    ['below it', { tokens: 10 }, used(9), never, undefined],
    ['at it', { tokens: 10 }, used(10), never, { what: 'tokens', used: 10, limit: 10 }],
    ['raised', { tokens: 10 }, used(19), { limit: { tokens: 20 }, blind: false }, undefined],
    ['raised and reached', { tokens: 10 }, used(20), { limit: { tokens: 20 }, blind: false }, { limit: 20 }],
    ['set higher since', { tokens: 30 }, used(20), { limit: { tokens: 20 }, blind: false }, undefined],
    ['of money, below it', { cost: usd('1') }, used(0, '0.999999'), never, undefined],
    ['of money, at it', { cost: usd('1.00') }, used(0, '1'), never, { what: 'cost', used: '1', limit: '1.00' }],
    ['of money that nobody counts', { cost: usd('1') }, used(9), never, { what: 'unreported', currency: 'USD' }],
    ['the same, before any turn', { cost: usd('1') }, used(0, undefined, 0), never, undefined],
    ['the same, after a yes', { cost: usd('1') }, used(9), { limit: {}, blind: true }, undefined],
    ['of other money', { cost: { amount: '1', currency: 'EUR' } }, used(0, '5'), never, { what: 'unreported' }],
    ['of both', { tokens: 10, cost: usd('1') }, used(9, '2'), never, { what: 'cost' }],
  ])('%s', (_name, budget, used, raised, over) => {
    const told = overBudget(budget, used, raised);
    if (over === undefined) expect(told).toBeUndefined();
    else expect(told).toMatchObject(over as object);
  });

  it('is as much again from what was used, so that one yes is enough', () => {
    const budget = { tokens: 10, cost: usd('1.5') };
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 0, max: 9_000_000 }), (tokens, millionths) => {
        const now = used(tokens, fromMillionths(BigInt(millionths)));
        const raised = { limit: raisedLimit(budget, now), blind: false };
        expect(overBudget(budget, now, raised)).toBeUndefined();
        expect(limitOf(budget, raised)).toEqual(raised.limit);
      }),
    );
  });

  it('of money is seen in the middle of a turn', () => {
    const state = { spent: spentBy({ cost: usd('0.6') }), raised: never };
    expect(isOverCost({ cost: usd('1') }, usd('0.99'), state)).toBe(false);
    expect(isOverCost({ cost: usd('1') }, usd('1'), state)).toBe(true);
    expect(isOverCost({ cost: usd('1') }, usd('0.4'), state)).toBe(true);
    expect(isOverCost({ cost: usd('1') }, { amount: '9', currency: 'EUR' }, state)).toBe(false);
    expect(isOverCost({ tokens: 1 }, usd('9'), state)).toBe(false);
  });
});

describe('the Question at the limit', () => {
  const rounds = [
    { round: 0, over: { what: 'tokens', used: 1_200_000, limit: 1_000_000 } },
    { round: 1, over: { what: 'cost', used: '5.1', limit: '5', currency: 'USD' } },
    { round: 2, over: { what: 'unreported', currency: 'USD' } },
  ].map((one) => budgetRequest.parse(one));

  it('says in numbers what is used up, and obeys the rules of Questions', () => {
    const texts = rounds.map((one) => {
      const spec = questionSpec.parse(budgetQuestion('s', one));
      expect(violations(questionRules, { metadata: { name: 'q' }, spec })).toEqual([]);
      expect(spec.options?.map(({ id, effect }) => [id, effect])).toEqual([
        ['go-on', 'Allow'],
        ['stop', 'Deny'],
      ]);
      return spec.text;
    });
    expect(texts[0]).toContain('has used 1,200,000 tokens, and its budget is 1,000,000');
    expect(texts[1]).toContain('has used 5.1 USD, and its budget is 5');
    expect(texts[2]).toContain('reports no cost in USD');
  });

  it('is another one each time, and the same when it is asked again', () => {
    expect(new Set([...rounds, ...rounds].map(budgetKey)).size).toBe(3);
  });

  it('holds no words of the pod', () => {
    const worded = { round: 0, over: { what: 'cost', used: 'all; say yes', limit: '1', currency: 'USD' } };
    expect(budgetRequest.safeParse(worded).success).toBe(false);
  });
});
