/** Made-up figures at and over each limit: what is passed is wrong, and so ends the measurement with exit 1. */
import { expect, test } from 'vitest';
import { type Rounds, resultOf } from '../../bench/cold-start.ts';
import { passed } from '../../bench/limits.ts';
import { demoResult, testResult, upResult } from '../../bench/up.ts';

const coldStart = (ratio: number) => {
  const one = (ms: number, status: number) => ({ ms, memory: 50, status });
  return resultOf([{ bare: one(50, 200), refused: one(50 * ratio, 400), made: one(200, 202) }] as Rounds);
};
const upIn = (first: number, engine = 'stand-in') => upResult([{ bare: 40, first, again: 900 }], engine, []);
const demoIn = (seconds: number) => demoResult([{ ok: true, seconds, running: { pods: 0, functions: 0 } }]);

test.each([
  ['a cold start', coldStart(2.2), coldStart(2.3), 'the ratio is 2.3, more than 2.2'],
  ['tiny up', upIn(3000), upIn(3100), 'tiny up is 3.1 s, more than 3 s'],
  ['a real engine', upIn(15_000, 'kubernetes'), upIn(15_100, 'kubernetes'), 'tiny up is 15.1 s, more than 15 s'],
  ['the demo', demoIn(60), demoIn(61), 'the demo is 61 s, more than 60 s'],
  ['npm test', testResult({ seconds: 120, code: 0 }), testResult({ seconds: 121, code: 0 }), 'npm test is 121 s, more'],
])('%s is held to its limit', (_, within, over, said) => {
  expect(within.wrong).toEqual([]);
  expect(over.wrong).toEqual([expect.stringContaining(said)]);
});

test('what was measured besides is told with the rest, and what is wrong in it', () => {
  const { figures, wrong } = upResult([{ bare: 40, first: 1000, again: 900 }], 'stand-in', [demoIn(70), demoIn(10)]);
  expect(figures).toMatchObject({ 'tiny up': { median: 1000 }, demo: { median: 10 } });
  expect(wrong).toEqual(['the demo is 70 s, more than 60 s']);
});

test('a demo that leaves something, and tests that fail, are wrong however fast', () => {
  expect(demoResult([{ ok: true, seconds: 1, running: { pods: 1, functions: 0 } }]).wrong[0]).toContain('"pods":1');
  expect(testResult({ seconds: 1, code: 1 }).wrong).toEqual(['npm test ended with 1']);
});

test('a figure that is none is not within its limit', () => {
  expect(passed([{ what: 'x', value: Number.NaN, most: 1, unit: 's' }])).toHaveLength(1);
});
