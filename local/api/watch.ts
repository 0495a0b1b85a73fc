/** The verb watch: what there is, or what came after a version, then each change as it happens. */
import type { Stored } from '../types.ts';
import type { Call } from './call.ts';
import { cause, expired, groupResource, invalid, statusOf } from './errors.ts';
import { selection } from './read.ts';
import type { Change } from './store.ts';

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: Record<string, unknown>;
}

/** How often a watch that asked for them gets a bookmark, in milliseconds. */
export const BOOKMARK_INTERVAL = 30_000;

/** Sends what the request watches until the returned function is called. Throws 400 and 422 before it sends anything. */
export function watch(call: Call, send: (event: WatchEvent) => void): () => void {
  const { api, query } = call;
  if (query.get('sendInitialEvents')) throw noInitialEvents(call);
  const tell = translator(call);
  const since = Number(query.get('resourceVersion') ?? 0);
  const missed = since === 0 ? initial(call) : api.store.since(since);
  if (!missed) return tooOld(since, send);
  const next = (change: Change) => {
    const event = tell(change);
    if (event) send(event);
  };
  missed.forEach(next);
  const stop = api.store.listen(next);
  const bookmark =
    query.get('allowWatchBookmarks') === 'true' && setInterval(() => send(bookmarkOf(call)), BOOKMARK_INTERVAL);
  return () => {
    stop();
    if (bookmark) clearInterval(bookmark);
  };
}

/** What is there now, as if it had just been added. */
function initial({ api, resource, attributes }: Call): Change[] {
  const key = groupResource(resource);
  const objects = api.store.list(key, resource.namespaced ? attributes.namespace : '');
  return objects.map((object) => ({ version: api.store.version, type: 'ADDED', resource: key, object }));
}

/** A change as this watch sees it: what comes into its selection is added, what leaves it is deleted. */
function translator(call: Call): (change: Change) => WatchEvent | undefined {
  const key = groupResource(call.resource);
  const { namespace } = call.attributes;
  const inNamespace = (object: Stored) =>
    !call.resource.namespaced || !namespace || object.metadata.namespace === namespace;
  const selects = selection(call);
  const matches = (object: Stored | undefined) => object !== undefined && inNamespace(object) && selects(object);
  return ({ resource, type, object, previous }) => {
    if (resource !== key) return undefined;
    const [is, was] = [type !== 'DELETED' && matches(object), matches(previous)];
    if (is) return { type: was ? 'MODIFIED' : 'ADDED', object };
    return was ? { type: 'DELETED', object: type === 'DELETED' ? object : lastSeen(previous, object) } : undefined;
  };
}

const lastSeen = (previous: Stored | undefined, { metadata: { resourceVersion } }: Stored): Stored => {
  const { metadata, ...rest } = previous as Stored;
  return { ...rest, metadata: { ...metadata, resourceVersion } } as Stored;
};

function tooOld(since: number, send: (event: WatchEvent) => void): () => void {
  send({ type: 'ERROR', object: statusOf(expired(`too old resource version: ${since}`)) });
  return () => undefined;
}

/** Says how far the watch has come, so that its client can go on from there. */
export function bookmarkOf({ api, resource }: Call): WatchEvent {
  const apiVersion = resource.group ? `${resource.group}/${resource.version}` : resource.version;
  const metadata = { resourceVersion: String(api.store.version), creationTimestamp: null };
  return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion, metadata } };
}

const noInitialEvents = ({ resource }: Call) =>
  invalid({ group: 'meta.k8s.io', plural: resource.plural, kind: 'ListOptions' }, '', [
    cause.forbidden(
      'sendInitialEvents',
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    ),
  ]);
