import { expect, test } from 'vitest';
import { ApiError, ConnectionError } from '../../lib/kube/errors.ts';
import { HTTP_STATUS, outcomeOf } from '../../lib/outcome.ts';
import { apiError } from '../support/memory-client.ts';

test('each outcome has its answer, and only what may pass has one that Knative delivers again', () => {
  expect(HTTP_STATUS).toEqual({ done: 202, refused: 202, unreadable: 400, conflict: 409, throttled: 429, failed: 500 });
});

test.each([
  [apiError(409, 'Conflict', 'modified'), { kind: 'conflict', message: 'modified' }],
  [apiError(404, 'NotFound', 'not found'), { kind: 'conflict', message: 'not found' }],
  [apiError(429, 'TooManyRequests', 'slow'), { kind: 'throttled', message: 'slow' }],
  [
    new ApiError(429, { message: 'slow', details: { retryAfterSeconds: 3 } }),
    { kind: 'throttled', message: 'slow', retryAfterSeconds: 3 },
  ],
  [
    apiError(403, 'Forbidden', 'no'),
    { kind: 'failed', message: 'no; docs/install.md says which rights it takes, and who gives them' },
  ],
  [apiError(401, 'Unauthorized', 'who?'), { kind: 'failed', message: 'who?' }],
  [apiError(422, 'Invalid', 'bad'), { kind: 'failed', message: 'bad' }],
  [new ApiError(503, {}), { kind: 'failed', message: 'the API server answered 503' }],
  [new ConnectionError('refused'), { kind: 'failed', message: 'refused' }],
])('%s is %j', (error, outcome) => expect(outcomeOf(error)).toEqual(outcome));

test.each([
  [new TypeError('a prompt'), 'unexpected TypeError'],
  ['a prompt', 'unexpected string'],
  [undefined, 'unexpected undefined'],
  [null, 'unexpected object'],
])('a bug is named by its type, never by what it says: %s', (error, message) => {
  expect(outcomeOf(error)).toEqual({ kind: 'failed', message });
});
