/**
 * ApiServerSource: one watch a kind, as the source's service account, one event sent after the other. It loses what
 * the real one loses: what a list finds, and what can't be sent in about 1.6 seconds.
 */
import { randomUUID } from 'node:crypto';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { collectionPath } from '../../lib/kube/path.ts';
import { aborted, type Part, sleep, type World } from '../controllers/loop.ts';
import { apiServerEvent, type Change, pluralOf } from './cloud-event.ts';
import type { Send } from './faults.ts';
import type { ApiServerSource, Watched } from './kinds.ts';
import { reflect } from './reflector.ts';

const RETRIES = 5;
const FIRST_RETRY = 50;

/** What the stand-in does not do of a source's spec. */
export function sourceProblem({ spec }: ApiServerSource): string | undefined {
  const { matchLabels = {}, matchExpressions = [] } = spec.namespaceSelector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length > 0)
    return 'the stand-in watches all namespaces (namespaceSelector: {}) or the source’s own, not selected ones';
  if (spec.resources.some(({ selector }) => selector?.matchExpressions))
    return 'the stand-in selects by matchLabels, not by matchExpressions';
}

export interface SourceOptions {
  world: World;
  /** The API server's URL: the events' `source`. */
  apiServer: string;
  send: Send;
  /** Told once all kinds are listed, and why one can't be. */
  ready: (problem?: string) => unknown;
}

async function sendOut(
  event: ReturnType<typeof apiServerEvent>,
  { send, world }: SourceOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let retry = 0; !signal.aborted; retry++) {
    const code = await Promise.race([send(event), aborted(signal)]);
    if (code === undefined || code < 300) return;
    if (retry >= RETRIES) return world.log(`event ${event.attributes['id']} is lost: its sink answered ${code}`);
    await sleep(FIRST_RETRY * 2 ** retry, signal);
  }
}

const pathOf = ({ apiVersion, kind }: Watched, namespace: string | undefined): string => {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return collectionPath({ group, version, kind, plural: pluralOf(kind), namespaced: true }, namespace);
};

/** Runs until stopped. Reading rights are those of `spec.serviceAccountName` (default `default`). */
export function startSource(source: Stored<ApiServerSource>, options: SourceOptions): Part {
  const { world, apiServer, ready } = options;
  const { namespace = '' } = source.metadata;
  const { resources, mode = 'Reference', serviceAccountName = 'default', namespaceSelector, ceOverrides } = source.spec;
  const ending = new AbortController();
  const { signal } = ending;
  const client = world.client.as({ username: `system:serviceaccount:${namespace}:${serviceAccountName}` });
  const listed = new Set<Watched>();
  const changed = async (object: KubeObject, change: Change) => {
    const event = apiServerEvent({ object, change, mode, source: apiServer, id: randomUUID(), time: world.now() });
    Object.assign(event.attributes, ceOverrides?.extensions);
    await sendOut(event, options, signal);
  };
  const tell = (resource: Watched) => async (problem?: string) => {
    if (problem === undefined) listed.add(resource);
    if (problem !== undefined || listed.size === resources.length) await ready(problem);
  };
  const labels = ({ selector }: Watched) =>
    selector &&
    Object.entries(selector.matchLabels ?? {})
      .map((pair) => pair.join('='))
      .join(',');
  const running = resources.map((resource) =>
    reflect({
      client,
      path: pathOf(resource, namespaceSelector ? undefined : namespace),
      labelSelector: labels(resource),
      signal,
      listed: tell(resource),
      changed,
    }),
  );
  const stop = async () => {
    ending.abort();
    await Promise.all(running);
  };
  return { stop };
}
