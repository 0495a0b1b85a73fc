import { expect, test } from 'vitest';
import type { Stored } from '../../../lib/api/meta.ts';
import type { Client } from '../../../lib/kube/types.ts';
import type { CloudEvent } from '../../../local/eventing/cloud-event.ts';
import type { ApiServerSource } from '../../../local/eventing/kinds.ts';
import { sourceProblem, startSource } from '../../../local/eventing/source.ts';
import { object, until } from '../support/objects.ts';

const source = (spec: object) =>
  object(
    'sources.knative.dev/v1/ApiServerSource',
    { name: 's', namespace: 'tiny-system' },
    { spec: { resources: [{ apiVersion: 'tiny.dev/v1alpha1', kind: 'Session' }], namespaceSelector: {}, ...spec } },
  ) as unknown as Stored<ApiServerSource>;

const session = (name: string, resourceVersion: string) => ({
  apiVersion: 'tiny.dev/v1alpha1',
  kind: 'Session',
  metadata: { name, namespace: 'team-a', uid: name, resourceVersion },
});
const line = (type: string, name: string, version: string) =>
  `${JSON.stringify({ type, object: session(name, version) })}\n`;
const GONE = `${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`;

/** A client: each list holds one object, at the next version; each watch gives the next of `watches`, then waits. */
function clientOf(watches: string[][], asked: string[]): Client {
  let version = 0;
  const client = {
    as: () => client,
    request: async (_: string, path: string) => {
      asked.push(path);
      version += 100;
      return { metadata: { resourceVersion: String(version) }, items: [session(`found-${version}`, String(version))] };
    },
    async *stream(path: string, signal: AbortSignal) {
      asked.push(new URL(path, 'http://api').searchParams.get('resourceVersion') ?? '');
      const given = watches.shift();
      yield* given ?? [];
      if (watches.length === 0 && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  return client as unknown as Client;
}

const run = async (watches: string[][], send: (event: CloudEvent) => Promise<number>) => {
  const [asked, lines]: [string[], string[]] = [[], []];
  const log = (text: string) => void lines.push(text);
  const world = { client: clientOf(watches, asked), now: () => new Date(0), random: Math.random, log };
  const told: (string | undefined)[] = [];
  const tell = (problem?: string) => told.push(problem);
  const part = await startSource(source({}), { ...world, apiServer: 'https://api', send, tell });
  return { part, asked, lines, told };
};

test('what a list finds after 410 gives no event, and a watch that ends is taken up where it was', async () => {
  const seen: string[] = [];
  const torn = line('MODIFIED', 'b', '103');
  const watches = [
    [line('ADDED', 'a', '101'), line('BOOKMARK', '', '102'), torn.slice(0, 9), torn.slice(9)],
    [GONE],
    [line('DELETED', 'c', '201')],
  ];
  const { part, asked, told } = await run(watches, async ({ attributes: { type, name } }) => {
    seen.push(`${type?.split('.').at(-1)} ${name}`);
    return 202;
  });
  await until('the last', () => seen.length === 3);
  expect(seen).toEqual(['add a', 'update b', 'delete c']);
  const all = '/apis/tiny.dev/v1alpha1/sessions';
  expect(asked).toEqual([all, '100', '103', all, '200']);
  expect(told.every((problem) => problem === undefined)).toBe(true);
  await part.stop();
});

test('a send that fails is tried five times more, then logged and dropped', async () => {
  let sent = 0;
  const { part, lines } = await run([[line('ADDED', 'a', '101')]], async () => {
    sent++;
    return 500;
  });
  await until('the loss', () => lines.length > 0);
  expect(sent).toBe(6);
  expect(lines[0]).toContain('is lost: its sink answered 500');
  await part.stop();
});

test('a source stops at once, whatever its sink does', async () => {
  let asked = false;
  const { part } = await run([[line('ADDED', 'a', '101')]], () => {
    asked = true;
    return new Promise(() => undefined);
  });
  await until('the send', () => asked);
  await part.stop();
});

test('what it does not do is refused', () => {
  expect(sourceProblem(source({}))).toBeUndefined();
  expect(sourceProblem(source({ namespaceSelector: { matchLabels: { a: 'b' } } }))).toContain('namespaceSelector: {}');
  expect(sourceProblem(source({ mode: 'Resource' }))).toContain('mode: Reference');
});
