import { expect, it } from 'vitest';
import { wholeLines } from '../../agent/whole-lines.ts';

it('a line that comes in pieces is told whole, one without an end at the end or when it is too long', () => {
  const told: string[] = [];
  const lines = wholeLines((line) => told.push(line));
  lines.push('one\n\ntw');
  lines.push('o\nthr');
  expect(told).toEqual(['one', 'two']);
  lines.push('x'.repeat(20_000));
  expect(told.at(-1)).toHaveLength(20_003);
  lines.push('end');
  lines.end();
  expect(told.at(-1)).toBe('end');
});
