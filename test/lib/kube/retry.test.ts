import { describe, expect, test } from 'vitest';
import { ApiError, ConnectionError } from '../../../lib/kube/errors.ts';
import { isRetriable, RETRY_POLICY, retrying } from '../../../lib/kube/retry.ts';
import { fakeClock } from './fake.ts';

const api = (code: number, retryAfterSeconds?: number) =>
  new ApiError(code, retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } });
const lost = (again: ConnectionError['again']) => new ConnectionError('lost', { again });

describe('what is tried again', () => {
  const rows: [what: string, error: unknown, idempotent: boolean, create: boolean][] = [
    ['throttled', api(429), true, true],
    ['turned away with Retry-After', api(503, 1), true, true],
    ['unavailable, who knows when', api(503), true, false],
    ['failed inside', api(500), true, false],
    ['failed inside, with Retry-After', api(500, 1), true, false],
    ['bad gateway', api(502), true, false],
    ['gateway timed out', api(504), true, false],
    ['never reached', lost('safe'), true, true],
    ['reset', lost('if-idempotent'), true, false],
    ['bad certificate', lost('never'), false, false],
    ['not implemented', api(501), false, false],
    ['conflict', api(409), false, false],
    ['forbidden', api(403), false, false],
    ['gone', api(410), false, false],
    ['a bug', new TypeError('bug'), false, false],
  ];
  test.each(rows)('%s', (...[, error, idempotent, create]) => {
    expect(isRetriable(error, true)).toBe(idempotent);
    expect(isRetriable(error, false)).toBe(create);
  });
});

/** Fails with `errors`, then succeeds. */
const failing = (errors: unknown[]) => {
  const left = [...errors];
  return async () => {
    if (left.length) throw left.shift();
    return 'done';
  };
};

describe('how often, and when', () => {
  test('it waits twice as long each time', async () => {
    const { clock, slept } = fakeClock();
    const work = failing([api(500), lost('safe'), api(503)]);
    expect(await retrying(work, { idempotent: true, clock })).toBe('done');
    expect(slept).toEqual([100, 200, 400]);
  });

  test('chance takes up to half of the wait away', async () => {
    const { clock, slept } = fakeClock();
    await retrying(failing([api(500)]), { idempotent: true, clock: { ...clock, random: () => 0 } });
    expect(slept).toEqual([50]);
  });

  test('it never comes back sooner than the server asked', async () => {
    const { clock, slept } = fakeClock();
    await retrying(failing([api(429, 3), api(429, 0)]), { idempotent: false, clock });
    expect(slept).toEqual([3000, 200]);
  });

  test('it gives up after its number of attempts, with the last error', async () => {
    const { clock, slept } = fakeClock();
    const errors = [500, 500, 500, 500, 502, 503].map((code) => api(code));
    await expect(retrying(failing(errors), { idempotent: true, clock })).rejects.toMatchObject({ code: 502 });
    expect(slept.length).toBe(RETRY_POLICY.attempts - 1);
  });

  test('it gives up at once where the server asks for more time than there is', async () => {
    const { clock, slept } = fakeClock();
    await expect(retrying(failing([api(429, 31)]), { idempotent: true, clock })).rejects.toMatchObject({ code: 429 });
    expect(slept).toEqual([]);
  });

  test('an abort ends the wait', async () => {
    const { clock } = fakeClock();
    const signal = AbortSignal.abort('ended');
    await expect(retrying(failing([api(500)]), { idempotent: true, clock, signal })).rejects.toBe('ended');
  });
});
