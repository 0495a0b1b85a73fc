import { describe, expect, test } from 'vitest';
import { median, pairwise, spread } from '../../bench/statistics.ts';

describe('the median', () => {
  test.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[100, 20, 3], 20],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test('leaves the values in their order', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  test('of nothing is an error, and no number', () => {
    expect(() => median([])).toThrow('nothing was measured');
  });
});

test('a spread tells the median, the least, the greatest and how many', () => {
  expect(spread([30, 10, 20], 'ms')).toEqual({ median: 20, min: 10, max: 30, runs: 3, unit: 'ms' });
});

test('runs taken in turn are compared pair by pair, so that a slow minute weighs on both', () => {
  expect(pairwise([20, 200], [10, 100])).toEqual({ median: 2, min: 2, max: 2, runs: 2, unit: '×' });
});
