/** What a failed connection means: a message for a person, and whether the request may be sent again. Pure. */
import { type Again, ConnectionError } from './errors.ts';

/** Passing troubles of a network; anything else (a certificate, an unknown host, a missing file) stays as it is. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** A host with several addresses fails with one error for each. */
const first = (error: unknown): NodeJS.ErrnoException =>
  (error instanceof AggregateError && error.errors.length ? error.errors[0] : error) as NodeJS.ErrnoException;

/** `connect` and `getaddrinfo` fail before a byte is sent; a reset comes when the request may have been carried out. */
function again({ code, syscall }: NodeJS.ErrnoException): Again {
  if (!PASSING.has(code ?? '')) return 'never';
  return syscall === 'connect' || syscall === 'getaddrinfo' ? 'safe' : 'if-idempotent';
}

export function connectionError(server: string, error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const cause = first(error);
  return new ConnectionError(`can't reach the API server at ${server}: ${cause.message}`, {
    cause,
    again: again(cause),
  });
}
