/**
 * When a request is sent again. The rule is about what the server may have done: reads, applies and deletes come out
 * the same twice, so they are tried again after any passing failure. A create may have happened although its answer
 * was lost; sent again it would be told AlreadyExists about its own object. So it is only repeated where the server
 * surely did nothing: it was never reached, it throttled (429), or it turned the request away (503 with Retry-After).
 * A caller that gets AlreadyExists reads the object and sees whose it is.
 */
import type { Clock } from './clock.ts';
import { ApiError, ConnectionError } from './errors.ts';

export interface RetryPolicy {
  /** All attempts, the first included. */
  attempts: number;
  /** No attempt begins later than this after the first, milliseconds. */
  totalMs: number;
  /** The first back-off; each is up to twice the one before. Milliseconds. */
  baseMs: number;
}

export const RETRY_POLICY: RetryPolicy = { attempts: 5, totalMs: 30_000, baseMs: 100 };

const PASSING_CODES = new Set([500, 502, 503, 504]);

function mayPass(error: ApiError, idempotent: boolean): boolean {
  if (error.code === 429) return true;
  if (idempotent) return PASSING_CODES.has(error.code);
  return error.code === 503 && error.status.details?.retryAfterSeconds !== undefined;
}

/** Whether a request that failed with `error` may be sent again. */
export function isRetriable(error: unknown, idempotent: boolean): boolean {
  if (error instanceof ApiError) return mayPass(error, idempotent);
  if (error instanceof ConnectionError)
    return error.again === 'safe' || (error.again === 'if-idempotent' && idempotent);
  return false;
}

/** Milliseconds: exponential, between half and the whole, so that many clients do not come back at once. */
export const backoff = (attempt: number, baseMs: number, random: () => number): number =>
  baseMs * 2 ** (attempt - 1) * (0.5 + random() / 2);

/** Never sooner than the server asked for. */
function delay(error: unknown, backoffMs: number): number {
  const seconds = error instanceof ApiError ? (error.status.details?.retryAfterSeconds ?? 0) : 0;
  return Math.max(seconds * 1000, backoffMs);
}

export interface Retrying {
  /** Whether the request comes out the same when it is carried out twice. */
  idempotent: boolean;
  clock: Clock;
  policy?: RetryPolicy | undefined;
  signal?: AbortSignal | undefined;
}

/** Does `work` until it succeeds, fails for good, or the policy's bounds are reached; then throws its last error. */
export async function retrying<T>(work: () => Promise<T>, options: Retrying): Promise<T> {
  const { idempotent, clock, policy = RETRY_POLICY, signal } = options;
  const end = clock.now() + policy.totalMs;
  const pause = async (error: unknown, attempt: number) => {
    if (attempt >= policy.attempts || !isRetriable(error, idempotent)) throw error;
    const wait = delay(error, backoff(attempt, policy.baseMs, clock.random));
    if (clock.now() + wait > end) throw error;
    await clock.sleep(wait, signal);
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      await pause(error, attempt);
    }
  }
}
