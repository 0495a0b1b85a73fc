import { expect, test } from 'vitest';
import { resultOf } from '../../bench/wake.ts';

const round = (begins: number, asleep: number) => ({ begins, asleep, awake: 300 });

test('waking is measured against a new Session of the same run', () => {
  const { ratio, figures, wrong } = resultOf([round(1000, 1100), round(2000, 2400), round(1500, 1500)]);
  expect(ratio).toBe(1);
  expect(figures['asleep, to a new Session']).toMatchObject({ median: 1.1, min: 1, max: 1.2 });
  expect(wrong).toEqual([]);
});

test('more than twice a new Session is wrong', () => {
  expect(resultOf([round(1000, 2001)]).wrong).toEqual(['the ratio is 2, more than 2']);
});
