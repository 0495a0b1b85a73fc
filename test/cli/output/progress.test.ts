import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startProgress, withProgress } from '../../../cli/output/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, output: { isTTY, columns: 40, write: (text: string) => written.push(text) } };
}

it('is silent for what takes less than a second', async () => {
  const { written, output } = terminal(true);
  const work = withProgress(output, 'Working', () => new Promise((resolve) => setTimeout(resolve, 900)));
  await vi.advanceTimersByTimeAsync(900);
  await work;
  expect(written).toEqual([]);
});

it('says what is waited for after a second, changes, and leaves no trace', () => {
  const { written, output } = terminal(true);
  const progress = startProgress(output, 'Working');
  vi.advanceTimersByTime(1000);
  expect(written.at(-1)).toContain('Working');
  progress.say('Still working on something that is far longer than the terminal is wide');
  vi.advanceTimersByTime(200);
  expect(written.at(-1)).toMatch(/Still working/);
  expect(written.at(-1)?.length).toBeLessThan(50);
  progress.end();
  expect(written.at(-1)).toBe('\r\u001b[2K');
  const count = written.length;
  vi.advanceTimersByTime(5000);
  expect(written).toHaveLength(count);
});

it('is silent where stderr is no terminal', () => {
  const { written, output } = terminal(false);
  const progress = startProgress(output, 'Working');
  vi.advanceTimersByTime(5000);
  progress.end();
  expect(written).toEqual([]);
});
