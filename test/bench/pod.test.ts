import { expect, test } from 'vitest';
import { resultOf } from '../../bench/pod.ts';

const look = (memory: number, percent: number) => ({ memory, percent });

test('what a pod costs is told part by part, and one that never rests is wrong', () => {
  const { ratio, figures, wrong } = resultOf([{ harness: look(90, 0.3), tools: look(60, 2), bare: 50 }]);
  expect(ratio).toBe(1.5);
  expect(figures).toMatchObject({
    'harness: memory': { median: 90, unit: 'MB' },
    'tools: of a core, idle': { median: 2 },
  });
  expect(wrong).toEqual(['what tools takes of a core while idle is 2 %, more than 1 %']);
});
