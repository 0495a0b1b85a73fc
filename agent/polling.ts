/**
 * How often something is looked at while a person may take a second or a night: a quarter of the time waited so
 * far, so that an answer is seen late by at most a quarter of what it took, and a long wait costs next to nothing.
 */
import type { Clock } from '../lib/kube/clock.ts';

const SHORTEST_MS = 250;
const LONGEST_MS = 15_000;

/** Milliseconds until the next look, after `waited` milliseconds. */
export const pollDelay = (waited: number): number => Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waited / 4));

/** Calls `look` until it gives something. Rejects when `signal` aborts, or with what `look` throws. */
export async function poll<T>(
  look: () => Promise<T | undefined>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  const start = clock.now();
  for (;;) {
    signal.throwIfAborted();
    const seen = await look();
    if (seen !== undefined) return seen;
    await clock.sleep(pollDelay(clock.now() - start), signal);
  }
}

/** Calls until there is an answer that stays. Throws what `isPassing` says no to, or `signal`'s reason. */
export async function persistently<T>(
  call: () => Promise<T>,
  { isPassing, ...wait }: { clock: Clock; signal: AbortSignal; isPassing: (error: unknown) => boolean },
): Promise<T> {
  const answer = await poll(async () => {
    try {
      return { value: await call() };
    } catch (error) {
      if (!isPassing(error)) throw error;
      return undefined;
    }
  }, wait);
  return answer.value;
}
