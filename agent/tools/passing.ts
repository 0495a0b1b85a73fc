/** Which failures of the API server pass, so that an agent need not hear of them. */
import { ApiError, ConnectionError, isConflict } from '../../lib/kube/errors.ts';

/** A token that is just being changed, too slow, throttled. */
const PASSING = [401, 408, 429];

/** Whether the same request may go well later: no answer, a conflict, one of `PASSING`, or the server's own trouble. */
export function passes(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.code >= 500 || PASSING.includes(error.code) || isConflict(error));
}
