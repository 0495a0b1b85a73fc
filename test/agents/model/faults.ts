/** What a model's server does wrong, one request long. */

export type Fault =
  /** An answer that is no 200: too many requests (429), overloaded (529), a wrong key (401), no credit (400, 402). */
  | { status: number; type: string; message: string; retryAfterSeconds?: number }
  /** The connection ends after this many events. */
  | { cutAfter: number }
  /** One event is no JSON. */
  | { malformed: true }
  /** Nothing comes for this long, then all of it. */
  | { silentMs: number };

export const FAULT = {
  tooMany: {
    status: 429,
    type: 'rate_limit_error',
    message: 'This request would exceed your rate limit',
    retryAfterSeconds: 1,
  },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  wrongKey: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  noCredit: { status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low to access the API' },
  noQuota: {
    status: 429,
    type: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details',
  },
} satisfies Record<string, Fault>;
