import { describe, expect, it } from 'vitest';
import { budgetOf } from '../../../cli/session/budget-flag.ts';
import { budgetWords, costWords, planWords, short, tokenWords } from '../../../cli/session/use.ts';
import { budget } from '../../../lib/api/budget.ts';
import { makeSession } from '../../support/objects.ts';

const usd = (amount: string) => ({ amount, currency: 'USD' });

describe('what was used', () => {
  it('is told in words and in short', () => {
    expect([0, 999, 1000, 1250, 34_000_000, 5e9].map(short)).toEqual(['0', '999', '1k', '1.2k', '34M', '5G']);
    expect(tokenWords({ inputTokens: 1200, outputTokens: 3, cachedTokens: 9000 })).toBe(
      '1,200 in, 3 out, 9,000 from the cache',
    );
    expect(tokenWords({ turns: 1 })).toBeUndefined();
    expect(costWords({ cost: { amount: '0.42', currency: 'USD' } })).toBe('0.42 USD');
  });

  it('stands beside what may be used', () => {
    const spec = { budget: { tokens: 1_000_000, cost: usd('5') } };
    const used = { usage: { inputTokens: 1000, outputTokens: 200, cost: usd('0.42') } };
    expect(budgetWords({ ...makeSession({ spec }), status: used })).toBe('1,200 of 1,000,000 tokens, 0.42 of 5 USD');
    const raised = { ...used, budget: { tokens: 2_000_000, cost: usd('10') } };
    expect(budgetWords({ ...makeSession({ spec }), status: raised })).toBe('1,200 of 2,000,000 tokens, 0.42 of 10 USD');
    expect(
      budgetWords({ ...makeSession({ spec: { budget: { cost: usd('5') } } }), status: { usage: { turns: 1 } } }),
    ).toBe('an unknown part (the agent reports no cost) of 5 USD');
    expect(budgetWords(makeSession())).toBeUndefined();
  });
});

it('a plan is told by its steps', () => {
  const plan = (plan: object) => planWords({ ...makeSession(), status: { plan } as never });
  expect(plan({ done: 3, total: 7, current: 'Write \u001b[2J tests' })).toBe('3 of 7: Write ␛[2J tests');
  expect(plan({ done: 7, total: 7 })).toBe('7 of 7');
  expect(plan({ done: 0, total: 0 })).toBeUndefined();
});

describe('--budget', () => {
  it.each<[given: string[], meant: object]>([
    [['500000'], { tokens: 500_000 }],
    [['500k'], { tokens: 500_000 }],
    [['1.5M'], { tokens: 1_500_000 }],
    [['5USD'], { cost: usd('5') }],
    [['2.50 EUR'], { cost: { amount: '2.50', currency: 'EUR' } }],
    [['2M', '5USD'], { tokens: 2_000_000, cost: usd('5') }],
  ])('%j', (given, meant) => {
    expect(budgetOf(given)).toEqual(meant);
    expect(budget.safeParse(budgetOf(given)).success).toBe(true);
  });

  it.each(['', 'much', '5$', '-1', '1e6', '1.5', '5 U', 'USD5'])('%j is neither tokens nor money', (text) => {
    expect(() => budgetOf([text])).toThrow('neither a number of tokens nor an amount of money');
  });
});
