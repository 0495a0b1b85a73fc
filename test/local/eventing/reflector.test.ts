import { expect, test } from 'vitest';
import type { Client } from '../../../lib/kube/types.ts';
import { aborted } from '../../../local/controllers/loop.ts';
import { reflect } from '../../../local/eventing/reflector.ts';
import { until } from '../support/stand-in.ts';

const line = (type: string, name: string, resourceVersion: string) =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion } } })}\n`;
const GONE = `${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`;

/** A stand-in client: each list is at the next version; each watch gives the next of `watches`, then nothing more. */
function standInClient(watches: string[][], asked: string[]): Client {
  let version = 0;
  async function* stream(path: string, signal?: AbortSignal): AsyncIterable<string> {
    asked.push(new URL(path, 'http://api').searchParams.get('resourceVersion') ?? '');
    const given = watches.shift();
    yield* given ?? [];
    if (signal && watches.length === 0) await aborted(signal);
  }
  const request = async () => {
    version += 100;
    return { metadata: { resourceVersion: String(version) } };
  };
  return { request, stream } as unknown as Client;
}

test('what a list finds after 410 gives no event, and a watch that ends is taken up where it was', async () => {
  const asked: string[] = [];
  const seen: string[] = [];
  const ending = new AbortController();
  const torn = line('MODIFIED', 'b', '103');
  const watches = [
    [line('ADDED', 'a', '101'), line('BOOKMARK', '', '102'), torn.slice(0, 9), torn.slice(9)],
    [GONE],
    [line('DELETED', 'c', '201')],
  ];
  const running = reflect({
    client: standInClient(watches, asked),
    path: '/api/v1/configmaps',
    labelSelector: undefined,
    signal: ending.signal,
    listed: (problem) => expect(problem).toBeUndefined(),
    changed: async ({ metadata: { name } }, change) => void seen.push(`${change} ${name}`),
  });
  await until('the last', () => seen.length === 3);
  expect(seen).toEqual(['ADDED a', 'MODIFIED b', 'DELETED c']);
  expect(asked).toEqual(['100', '103', '200']);
  ending.abort();
  await running;
});
