/** Made-up figures: a press that is lost or done twice, or a slow start, is wrong. */
import { expect, test } from 'vitest';
import { type Counted, slackResult } from '../../bench/slack.ts';

const COUNTED: Counted = { presses: 1300, acknowledged: 1300, answered: 1000, writes: 1000, whispers: 0 };
const resultOf = (counted: Partial<Counted> = {}, cold = 100) => {
  const round = { bare: { ms: 50 }, unsigned: { ms: cold, status: 401 }, press: { ms: 150, status: 200 } };
  return slackResult({ rounds: [round], warm: [4, 6], seconds: 10, counted: { ...COUNTED, ...counted } });
};

test('presses that all count once are right', () => {
  expect(resultOf()).toMatchObject({ ratio: 2, wrong: [], figures: { 'presses a second': 130, answers: 1000 } });
});

test.each([
  [{ acknowledged: 1299 }, '1299 of 1300 acknowledged'],
  [{ answered: 999 }, '1 Questions lost their answer'],
  [{ writes: 1001 }, '1001 answers were written for 1000 Questions'],
  [{ whispers: 1 }, '1 complaints were made'],
])('%o is wrong', (counted, said) => expect(resultOf(counted).wrong).toEqual([said]));

test('a start is held to its limit', () => {
  expect(resultOf({}, 120).wrong).toEqual(['the ratio is 2.4, more than 2.2']);
});
