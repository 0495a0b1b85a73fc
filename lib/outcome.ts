/**
 * How a reconciliation ended, and the one table that turns it into an HTTP answer. A Knative trigger delivers
 * again on 409, 429 and 5xx, and not on other 4xx; a person's mistake is told on the object and answered 202.
 */
import { ApiError, ConnectionError, isConflict, isForbidden, isNotFound, isThrottled } from './kube/errors.ts';

export type Outcome =
  | { kind: 'done'; message: string }
  | { kind: 'refused'; message: string }
  | { kind: 'unreadable'; message: string }
  | { kind: 'conflict'; message: string }
  | { kind: 'throttled'; message: string; retryAfterSeconds?: number }
  | { kind: 'failed'; message: string };

export const HTTP_STATUS: Record<Outcome['kind'], number> = {
  done: 202,
  refused: 202,
  unreadable: 400,
  conflict: 409,
  throttled: 429,
  failed: 500,
};

/** The outcome of an error that nobody expected. `message` never holds a request's body or a header. */
export function outcomeOf(error: unknown): Outcome {
  const message = describe(error);
  if (isThrottled(error)) return throttled(error, message);
  if (isConflict(error) || isNotFound(error)) return { kind: 'conflict', message };
  return {
    kind: 'failed',
    message: isForbidden(error)
      ? `${message}; docs/install.md says which rights it takes, and who gives them`
      : message,
  };
}

function throttled(error: ApiError, message: string): Outcome {
  const seconds = error.status.details?.retryAfterSeconds;
  return { kind: 'throttled', message, ...(seconds !== undefined && { retryAfterSeconds: seconds }) };
}

const describe = (error: unknown): string =>
  error instanceof ApiError || error instanceof ConnectionError
    ? error.message
    : `unexpected ${(error as Error)?.name ?? typeof error}`;
