/**
 * ApiServerSource: one watch a kind, as the source's service account, one event sent after the other. It loses what
 * the real one loses: what a list finds, be it the first or a later one after 410 Gone, and what can't be sent in
 * about 1.6 seconds.
 */
import { randomUUID } from 'node:crypto';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { systemClock } from '../../lib/kube/clock.ts';
import { collectionPath, query } from '../../lib/kube/path.ts';
import type { Client } from '../../lib/kube/types.ts';
import { watch } from '../../lib/kube/watch.ts';
import { keepOn, messageOf, type Part, sleep, type World } from '../controllers/loop.ts';
import { apiServerEvent, pluralOf, type Sent } from './cloud-event.ts';
import type { Send } from './faults.ts';
import type { ApiServerSource, Watched } from './kinds.ts';

const RETRIES = 5;
const FIRST_RETRY = 50;

/** What the stand-in does not do of a source's spec. */
export function sourceProblem({ spec }: ApiServerSource): string | undefined {
  if (spec.mode === 'Resource') return 'the stand-in sends references only (mode: Reference)';
  if (!spec.namespaceSelector || Object.keys(spec.namespaceSelector).length > 0)
    return 'the stand-in watches all namespaces (namespaceSelector: {}), not selected ones';
  if (spec.resources.some(({ selector }) => selector)) return 'the stand-in watches all objects of a kind';
}

export interface SourceOptions {
  world: World;
  /** The API server's URL: the events' `source`. */
  apiServer: string;
  send: Send;
}

async function* bytes(text: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const piece of text) yield Buffer.from(piece);
}

interface Watching {
  client: Client;
  path: string;
  signal: AbortSignal;
  /** Told each time that it has been listed. */
  listed: () => void;
  changed: (object: KubeObject, change: Sent['change']) => Promise<void>;
}

/** Watches until the signal aborts. Throws where the first list fails. */
async function watchPath({ client, path, signal, listed, changed }: Watching): Promise<void> {
  let isWatching = false;
  type Listed = { metadata: { resourceVersion: string }; items: Stored<KubeObject>[] };
  const source = {
    clock: systemClock,
    list: async () => {
      isWatching = false;
      const { metadata, items } = await client.request<Listed>('GET', path);
      return { resourceVersion: metadata.resourceVersion, items };
    },
    open: async (resourceVersion: string) => {
      isWatching = true;
      listed();
      return bytes(client.stream(path + query({ watch: true, allowWatchBookmarks: true, resourceVersion }), signal));
    },
  };
  for await (const { type, object } of watch(source, signal)) if (isWatching) await changed(object, type);
}

async function sendOut(
  event: ReturnType<typeof apiServerEvent>,
  { send, world }: SourceOptions,
  signal: AbortSignal,
): Promise<void> {
  const aborted = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  for (let retry = 0; !signal.aborted; retry++) {
    const code = await Promise.race([send(event), aborted]);
    if (code === undefined || code < 300) return;
    if (retry >= RETRIES) return world.log(`event ${event.attributes['id']} is lost: its sink answered ${code}`);
    await sleep(FIRST_RETRY * 2 ** retry, signal);
  }
}

/**
 * Runs until stopped, with the reading rights of `spec.serviceAccountName` (default `default`). Resolves when each kind
 * has been listed, or could not be; `tell` gets what keeps it from being served, or nothing.
 */
export async function startSource(
  { metadata: { namespace = '' }, spec }: Stored<ApiServerSource>,
  options: SourceOptions,
  tell: (problem?: string) => unknown,
): Promise<Part> {
  const { resources, serviceAccountName = 'default' } = spec;
  const { world, apiServer: source } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const client = world.client.as({ username: `system:serviceaccount:${namespace}:${serviceAccountName}` });
  const changed = (object: KubeObject, change: Sent['change']) =>
    sendOut(apiServerEvent({ object, change, source, id: randomUUID(), time: world.now() }), options, signal);
  const tried = Promise.withResolvers<void>();
  const problems = new Map<Watched, string | undefined>();
  const note = (resource: Watched, problem?: string) => {
    problems.set(resource, problem);
    if (problems.size < resources.length) return;
    tell([...problems.values()].find(Boolean));
    tried.resolve();
  };
  const watchKind = (resource: Watched) => {
    const watching = { client, path: pathOf(resource), signal, listed: () => note(resource), changed };
    return keepOn(
      signal,
      () => watchPath(watching),
      (error) => note(resource, messageOf(error)),
    );
  };
  const running = resources.map(watchKind);
  await tried.promise;
  const stop = async () => {
    ending.abort();
    await Promise.all(running);
  };
  return { stop };
}

function pathOf({ apiVersion, kind }: Watched): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return collectionPath({ group, version, kind, plural: pluralOf(kind), namespaced: true });
}
