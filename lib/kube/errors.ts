/** What the API server says when it says no, as a typed error. Nothing here does I/O. */

/** `metav1.Status`, as far as it is read. */
export interface ApiStatus {
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { field?: string; message?: string; reason?: string }[];
    retryAfterSeconds?: number;
  };
}

/** An answer of the API server that is no success. `message` is the server's own. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: number;
  readonly status: ApiStatus;

  constructor(code: number, status: ApiStatus) {
    super(status.message ?? `the API server answered ${code}`);
    this.code = code;
    this.status = status;
  }

  /** The API server's word: `NotFound`, `AlreadyExists`, `Conflict`, `Forbidden`, `Invalid`, … */
  get reason(): string {
    return this.status.reason ?? '';
  }
}

/**
 * Whether a request that got no answer may be sent again: `safe`, it surely never reached the server;
 * `if-idempotent`, it may have been carried out; `never`, it would fail again (a certificate, an unknown host).
 */
export type Again = 'safe' | 'if-idempotent' | 'never';

/** No answer came: the connection failed or timed out. Unless `again` is `safe`, the request may have been carried out. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  readonly again: Again;

  constructor(message: string, options: { cause?: unknown; again?: Again } = {}) {
    super(message, { cause: options.cause });
    this.again = options.again ?? 'never';
  }
}

const is =
  (code: number) =>
  (error: unknown): error is ApiError =>
    error instanceof ApiError && error.code === code;

export const isNotFound = is(404);
export const isForbidden = is(403);
export const isInvalid = is(422);
export const isThrottled = is(429);
export const isBadRequest = is(400);
export const isGone = is(410);
export const isAlreadyExists = (error: unknown): error is ApiError =>
  is(409)(error) && error.reason === 'AlreadyExists';
export const isConflict = (error: unknown): error is ApiError => is(409)(error) && error.reason !== 'AlreadyExists';
