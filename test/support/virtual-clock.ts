/** A clock whose time passes at once: to the next moment that somebody waits for, as soon as nobody has anything else to do. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../lib/kube/clock.ts';

export function virtualClock(start = 0): Clock {
  let now = start;
  const waits = new Set<{ at: number; over: () => void }>();
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waits.size > 0) {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      const [first] = [...waits].sort((a, b) => a.at - b.at);
      if (!first) break;
      now = Math.max(now, first.at);
      waits.delete(first);
      first.over();
    }
    isRunning = false;
  };
  return {
    now: () => now,
    random: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const wait = { at: now + ms, over: resolve };
        waits.add(wait);
        signal?.addEventListener('abort', () => {
          waits.delete(wait);
          reject(signal.reason);
        });
        if (!isRunning) void run();
      }),
  };
}
