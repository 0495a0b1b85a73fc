import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { makeClient } from '../../../lib/kube/client.ts';
import { PODS, type WatchEvent } from '../../../lib/kube/types.ts';
import { all, answer, fakeClock, type Handler, refuse, reset, startServer } from './fake.ts';

const pod = (name: string, resourceVersion: number, uid = name) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid, resourceVersion: String(resourceVersion) },
});
const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
const bookmark = (resourceVersion: number) =>
  line('BOOKMARK', { metadata: { resourceVersion: String(resourceVersion) } });
const listOf = (resourceVersion: number, ...items: unknown[]) => ({
  metadata: { resourceVersion: String(resourceVersion) },
  items,
});

type Turn = (response: ServerResponse) => void;
const says =
  (...text: string[]): Turn =>
  (response) =>
    void response.writeHead(200).end(text.join(''));

/** Watches until `count` events have come; the server takes its turns in the order of `lists` and `watches`. */
async function watching(script: { lists: Turn[]; watches: Turn[] }, count: number) {
  const turns: Handler = ({ query }, response) => {
    const turn = (query.has('watch') ? script.watches : script.lists).shift();
    if (turn) turn(response);
  };
  const { url, seen } = await startServer(turns);
  const { clock, slept } = fakeClock();
  const ended = new AbortController();
  const events: WatchEvent<{ metadata: { name: string } }>[] = [];
  for await (const event of makeClient({ server: url, fieldManager: 'x' }, clock).watch(PODS, {
    namespace: 'team',
    signal: ended.signal,
  })) {
    events.push(event);
    if (events.length === count) ended.abort();
  }
  const watched = seen.filter(({ query }) => query.has('watch')).map(({ query }) => query.get('resourceVersion'));
  return { events: events.map(({ type, object }) => `${type} ${object.metadata.name}`), watched, slept, seen };
}

const list =
  (...parts: Parameters<typeof listOf>): Turn =>
  (response) =>
    answer(response, listOf(...parts));

describe('a watch', () => {
  test('tells first what is there, then each change', async () => {
    const { events, seen } = await watching(
      { lists: [list(5, pod('a', 3))], watches: [says(line('MODIFIED', pod('a', 6)), line('DELETED', pod('a', 7)))] },
      3,
    );
    expect(events).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(seen[1]?.query.toString()).toBe('watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=5');
  });

  test('resumes after the last event or bookmark when the connection ends or breaks', async () => {
    const { events, watched } = await watching(
      {
        lists: [list(5)],
        watches: [
          says(line('ADDED', pod('a', 6)), bookmark(9)),
          (response) => {
            response.writeHead(200).write(`${line('ADDED', pod('b', 10))}{"type":"ADDED","obj`);
            setImmediate(() => reset(response));
          },
          says(line('ADDED', pod('c', 11))),
        ],
      },
      3,
    );
    expect(events).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    expect(watched).toEqual(['5', '9', '10']);
  });

  test('reads events that come in pieces, cut within a character', async () => {
    const bytes = Buffer.from(line('ADDED', pod('größe-😀', 6)));
    const pieces: Turn = (response) => {
      response.writeHead(200);
      const write = (i: number) => {
        if (i >= bytes.length) return void response.end();
        response.write(bytes.subarray(i, i + 3), () => write(i + 3));
      };
      write(0);
    };
    expect((await watching({ lists: [list(5)], watches: [pieces] }, 1)).events).toEqual(['ADDED größe-😀']);
  });

  test.each<[string, Turn]>([
    ['an answer of 410', (response) => refuse(response, 410, { reason: 'Expired' })],
    ['an ERROR event', says(line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' }))],
    ['an ERROR event of another kind', says(line('ERROR', { kind: 'Status', code: 500 }))],
  ])('lists anew after %s, and reports just the difference, deletions first', async (_, expired) => {
    const { events, watched } = await watching(
      {
        lists: [
          list(5, pod('same', 1), pod('changed', 2), pod('gone', 3), pod('remade', 4, 'old')),
          list(50, pod('same', 1), pod('changed', 20), pod('remade', 30, 'new'), pod('fresh', 40)),
        ],
        watches: [expired, says(line('ADDED', pod('later', 51)))],
      },
      10,
    );
    expect(events.slice(4)).toEqual([
      'DELETED gone',
      'DELETED remade',
      'MODIFIED changed',
      'ADDED remade',
      'ADDED fresh',
      'ADDED later',
    ]);
    expect(watched).toEqual(['5', '50']);
  });

  test('outlives a server that is away for a while, and waits longer each time', async () => {
    const away: Turn = (response) => reset(response);
    const { events, slept } = await watching(
      { lists: [list(5)], watches: [...Array(12).fill(away), says(line('ADDED', pod('a', 6)))] },
      1,
    );
    expect(events).toEqual(['ADDED a']);
    expect(slept.at(-1)).toBeGreaterThan(slept[0] ?? 0);
  });

  test('does not ask a server that only hangs up in a tight loop', async () => {
    const { slept, watched } = await watching(
      { lists: [list(5)], watches: [says(), says(), says(line('ADDED', pod('a', 6)))] },
      1,
    );
    expect([slept, watched]).toEqual([
      [200, 200],
      ['5', '5', '5'],
    ]);
  });

  test('throws what will not pass: a first list that fails, a right that is taken away', async () => {
    const forbidden: Turn = (response) => refuse(response, 403, { reason: 'Forbidden' });
    await expect(watching({ lists: [forbidden], watches: [] }, 1)).rejects.toMatchObject({ code: 403 });
    await expect(watching({ lists: [list(5)], watches: [forbidden] }, 1)).rejects.toMatchObject({ code: 403 });
  });

  test('ends quietly when it is aborted while the server is silent', async () => {
    const ended = new AbortController();
    const { url } = await startServer(({ query }, response) => {
      if (!query.has('watch')) return answer(response, listOf(5));
      response.writeHead(200).flushHeaders();
      setImmediate(() => ended.abort());
    });
    const events = makeClient({ server: url, fieldManager: 'x' }).watch(PODS, { signal: ended.signal });
    expect(await all(events)).toEqual([]);
  });
});
