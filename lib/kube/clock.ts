/** Time and chance as an argument, so that back-off is tested without waiting. */
import { setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** At least 0, below 1. */
  random(): number;
  /** Waits for `ms` milliseconds; rejects once `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => setTimeout(ms, undefined, signal ? { signal } : {}),
};
