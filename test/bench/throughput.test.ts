import { expect, test } from 'vitest';
import { result } from '../../bench/throughput.ts';

const measured = { sessionsAtOnce: 100, plainMs: 1000, madeMs: 1000, counted: { told: 100, deployments: 100 } };

test('as quick as the plain loop and none lost is well', () => {
  expect(result(measured)).toMatchObject({ ratio: 1, wrong: [] });
});

test.each([
  ['a slow function', { madeMs: 1300 }, /^throughput is 0.77 of the plain loop's/],
  ['a lost Session', { counted: { told: 99, deployments: 100 } }, /^99 of 100 Sessions/],
  ['a doubled Deployment', { counted: { told: 100, deployments: 101 } }, /^101 Deployments for 100/],
])('%s is wrong', (_, change, words) => {
  const { wrong } = result({ ...measured, ...change });
  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toMatch(words);
});
