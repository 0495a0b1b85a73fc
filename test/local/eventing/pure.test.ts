import { describe, expect, test } from 'vitest';
import { pluralOf } from '../../../local/eventing/cloud-event.ts';
import { isRetried, retrying } from '../../../local/eventing/delivery.ts';
import { type Faults, withFaults } from '../../../local/eventing/faults.ts';
import { minutesOf, untilNext } from '../../../local/eventing/ping.ts';
import { until } from '../support/objects.ts';

test('the shipped delivery gives up after 205 seconds', () => {
  const { retries, wait } = retrying({ retry: 10, backoffPolicy: 'exponential', backoffDelay: 'PT0.2S' });
  expect(Array.from({ length: retries }, (_, retry) => wait(retry)).reduce((sum, ms) => sum + ms, 0)).toBe(204_600);
  const linear = retrying({ backoffPolicy: 'linear', backoffDelay: 'PT1S' });
  expect([0, 1, 2].map(linear.wait)).toEqual([0, 1000, 2000]);
});

test('only what may pass by itself is tried again', () => {
  const retried = [200, 202, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503].filter(isRetried);
  expect(retried).toEqual([404, 408, 409, 429, 500, 503]);
});

test('plurals are guessed as client-go does', () => {
  expect(['Session', 'NetworkPolicy', 'Ingress'].map(pluralOf)).toEqual(['sessions', 'networkpolicies', 'ingresses']);
});

test('schedules fall on the minutes that cron means', () => {
  expect(['* * * * *', '*/5 * * * *', '*/0 * * * *', '0 3 * * *', ''].map(minutesOf)).toEqual([
    1,
    5,
    undefined,
    undefined,
    undefined,
  ]);
  expect(untilNext(5, new Date('2026-01-01T00:03:30Z'))).toBe(90_000);
  expect(untilNext(7, new Date('2026-01-01T00:58:00Z'))).toBe(120_000);
});

describe('faults', () => {
  const run = async (faults: Faults, chances: number[], count = 3) => {
    const sent: string[] = [];
    const ending = new AbortController();
    const random = () => chances.shift() ?? 0.99;
    const send = withFaults(async ({ attributes }) => 201 + Math.sign(sent.push(String(attributes['id']))), faults, {
      random,
      signal: ending.signal,
    });
    for (let id = 1; id <= count; id++) await send({ attributes: { id: String(id) }, contentType: '', body: '' });
    return { sent, end: () => ending.abort() };
  };

  test('lose', async () => expect((await run({ lose: 0.5 }, [0.1])).sent).toEqual(['2', '3']));
  test('double, with an id of its own', async () => {
    const { sent } = await run({ double: 0.5 }, [0.9, 0.1], 1);
    expect(sent).toHaveLength(2);
    expect(new Set(sent).size).toBe(2);
  });
  test('delay', async () => {
    const { sent } = await run({ delay: 0.5, delayMs: 10 }, [0.9, 0.9, 0.1, 0.5]);
    expect(sent).toEqual(['2', '3']);
    await until('the late one', () => sent.length === 3);
  });
  test('reorder', async () => {
    const { sent } = await run({ reorder: 0.5, delayMs: 5000 }, [0.9, 0.9, 0.9, 0.1]);
    await until('the held one', () => sent.includes('1'));
    expect(sent.indexOf('1')).toBeGreaterThan(sent.indexOf('2'));
  });
  test('none changes nothing', async () => expect((await run({}, [])).sent).toEqual(['1', '2', '3']));
});
