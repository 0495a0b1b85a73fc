import { describe, expect, test } from 'vitest';
import { burying, lettersOf, MOST, totalOf } from '../../../lib/event/dead-letters.ts';
import captured from '../../fixtures/knative-events.json' with { type: 'json' };
import { NOW } from '../../support/objects.ts';

const buried = captured.find(({ note }) => note.startsWith('dead-lettered')) as unknown as {
  headers: Record<string, string>;
  body: string;
};

/** As a merge patch does it. */
function patched(data: Record<string, string>, change: Record<string, string | null> = {}): Record<string, string> {
  const merged = Object.entries({ ...data, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as Record<string, string>;
}

describe('a dead letter', () => {
  test('says what it was about, where it was to go, and what came of it', () => {
    const [letter] = lettersOf(patched({}, burying({}, buried, NOW)));
    expect(letter).toMatchObject({
      number: 1,
      type: 'dev.knative.apiserver.ref.add',
      about: { kind: 'Session', namespace: 'team-a', name: 'f1' },
      to: 'http://dead.default.svc.cluster.local',
      code: 500,
      error: expect.stringContaining('connection refused'),
    });
  });

  test('is the event itself again, to be replayed', () => {
    const [letter] = lettersOf(patched({}, burying({}, buried, NOW)));
    expect(letter?.event.body).toBe(buried.body);
    expect(letter?.event.headers).toMatchObject({
      'ce-type': 'dev.knative.apiserver.ref.add',
      'ce-id': expect.any(String),
    });
    expect(Object.keys(letter?.event.headers ?? {}).some((name) => name.includes('knativeerror'))).toBe(false);
  });

  test.each([{}, { 'content-type': 'application/json' }, { 'ce-id': '1' }])('is none without a type: %j', (headers) =>
    expect(burying({}, { headers, body: '{}' }, NOW)).toBeUndefined(),
  );

  test('of any size takes a few kilobytes', () => {
    const headers = { ...buried.headers, 'ce-knativeerrordata': Buffer.alloc(100_000, 'x').toString('base64') };
    const change = burying({}, { headers, body: 'x'.repeat(1_000_000) }, NOW) ?? {};
    expect(JSON.stringify(change).length).toBeLessThan(6000);
  });
});

test('the last hundred are kept, and all are counted', () => {
  let data: Record<string, string> = {};
  for (let count = 0; count < MOST + 30; count++) data = patched(data, burying(data, buried, NOW));
  expect(totalOf(data)).toBe(MOST + 30);
  expect(lettersOf(data).map(({ number }) => number)).toEqual(Array.from({ length: MOST }, (_, at) => MOST + 30 - at));
  expect(JSON.stringify(data).length).toBeLessThan(1024 * 1024);
});

test('whoever can reach the function can not fill the ConfigMap, so that it takes no more', () => {
  const headers = { ...buried.headers, 'ce-x': '\u00ff'.repeat(15_000), 'ce-knativeerrordata': 'AAAA'.repeat(4000) };
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`ce-x${at}`, 'x'.repeat(20)]));
  let data: Record<string, string> = {};
  for (let count = 0; count < MOST + 1; count++)
    data = patched(data, burying(data, { headers: { ...many, ...headers }, body: '\0'.repeat(10_000) }, NOW));
  data = patched(data, burying(data, buried, NOW));
  expect(Buffer.byteLength(Object.values(data).join(''))).toBeLessThan(1024 * 1024);
  expect(lettersOf(data)[0]?.event.headers).toMatchObject({ 'ce-name': buried.headers['ce-name'] });
});

test('what somebody else put there is passed over', () => {
  expect(lettersOf({ note: 'not a letter', total: 'x' })).toEqual([]);
  expect(totalOf({ total: 'x' })).toBe(0);
});
