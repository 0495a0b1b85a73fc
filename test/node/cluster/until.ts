/** Waiting for a condition on a real node, where a pod takes seconds. */
import { setTimeout } from 'node:timers/promises';

const STEP_MS = 50;

/** Waits until `read` gives something. Throws with `what` after `limit` milliseconds. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | false> | T | undefined | false,
  limit = 60_000,
): Promise<NonNullable<T>> {
  for (const end = Date.now() + limit; Date.now() < end; await setTimeout(STEP_MS)) {
    const value = await read();
    if (value) return value as NonNullable<T>;
  }
  throw new Error(`waited ${limit / 1000} s in vain for ${what}`);
}
