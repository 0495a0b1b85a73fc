import { expect, test } from 'vitest';
import type { Stored } from '../../../lib/api/meta.ts';
import type { Client } from '../../../lib/kube/types.ts';
import { aborted } from '../../../local/controllers/loop.ts';
import type { ApiServerSource } from '../../../local/eventing/kinds.ts';
import { sourceProblem, startSource } from '../../../local/eventing/source.ts';
import { object, until } from '../support/stand-in.ts';

const source = (spec: object) =>
  object(
    'sources.knative.dev/v1/ApiServerSource',
    { name: 's', namespace: 'tiny-system' },
    { spec: { resources: [{ apiVersion: 'tiny.dev/v1alpha1', kind: 'Session' }], sink: { uri: 'http://x' }, ...spec } },
  ) as unknown as Stored<ApiServerSource>;

/** A stand-in client whose one watch gives one change. */
function standInClient(paths: string[]): Client {
  const client = {
    as: () => client,
    request: async (_: string, path: string) => {
      paths.push(path);
      return { metadata: { resourceVersion: '1' } };
    },
    async *stream(_: string, signal?: AbortSignal) {
      const metadata = { name: 's1', namespace: 'team-a', resourceVersion: '2' };
      yield `${JSON.stringify({ type: 'ADDED', object: { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', metadata } })}\n`;
      if (signal) await aborted(signal);
    },
  };
  return client as unknown as Client;
}

const run = (spec: object, send: () => Promise<number>) => {
  const [paths, lines]: [string[], string[]] = [[], []];
  const log = (line: string) => void lines.push(line);
  const world = { client: standInClient(paths), now: () => new Date(0), random: Math.random, log };
  const part = startSource(source(spec), { world, apiServer: 'https://api', send, ready: () => undefined });
  return { part, paths, lines };
};

test('a send that fails is tried five times more, then logged and dropped', async () => {
  let sent = 0;
  const { part, lines } = run({}, async () => {
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
  const { part } = run({}, () => {
    asked = true;
    return new Promise(() => undefined);
  });
  await until('the send', () => asked);
  await part.stop();
});

test('without a namespaceSelector it watches its own namespace, with an empty one all', async () => {
  const own = run({}, async () => 202);
  const all = run({ namespaceSelector: {} }, async () => 202);
  await until('the lists', () => own.paths.length + all.paths.length === 2);
  expect(own.paths).toEqual(['/apis/tiny.dev/v1alpha1/namespaces/tiny-system/sessions']);
  expect(all.paths).toEqual(['/apis/tiny.dev/v1alpha1/sessions']);
  await Promise.all([own.part.stop(), all.part.stop()]);
});

test('what it does not do is refused', () => {
  expect(sourceProblem(source({}))).toBeUndefined();
  expect(sourceProblem(source({ namespaceSelector: { matchLabels: { a: 'b' } } }))).toContain('namespaceSelector: {}');
});
