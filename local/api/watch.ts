/** The verb watch: what there is, or what came after a version, then each change as it happens. */
import type { Stored } from '../types.ts';
import type { Call } from './call.ts';
import { cause, expired, groupResource, invalid, statusOf } from './errors.ts';
import { selection } from './read.ts';
import { apiVersionOf } from './resources.ts';
import type { Change } from './store.ts';

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: Record<string, unknown>;
}

/** Sends what the request watches until the returned function is called. Throws 400 and 422 before it sends anything. */
export function watch(call: Call, send: (event: WatchEvent) => void): () => void {
  const { api, query } = call;
  if (query.get('sendInitialEvents')) throw noInitialEvents(call);
  const translate = translator(call);
  const since = Number(query.get('resourceVersion') ?? 0);
  const missed = since === 0 ? initial(call) : api.store.since(since);
  if (!missed) send({ type: 'ERROR', object: statusOf(expired(`too old resource version: ${since}`)) });
  const tell = (change: Change) => {
    const event = translate(change);
    if (event) send(event);
  };
  missed?.forEach(tell);
  return missed ? api.store.listen(tell) : () => undefined;
}

/** What is there now, as if it had just been added. */
function initial({ api, resource, attributes }: Call): Change[] {
  const key = groupResource(resource);
  const objects = api.store.list(key, resource.namespaced ? attributes.namespace : '');
  return objects.map((object) => ({ version: api.store.version, type: 'ADDED', resource: key, object }));
}

/** A change as this watch sees it: what comes into its selection is added, what leaves it is deleted. */
function translator(call: Call): (change: Change) => WatchEvent | undefined {
  const matches = matcher(call);
  const key = groupResource(call.resource);
  const told = ({ type, object, previous }: Change): WatchEvent | undefined => {
    const was = matches(previous);
    if (type !== 'DELETED' && matches(object)) return { type: was ? 'MODIFIED' : 'ADDED', object };
    return was ? { type: 'DELETED', object: lastOf(object, previous) } : undefined;
  };
  return (change) => (change.resource === key ? told(change) : undefined);
}

function matcher(call: Call): (object: Stored | undefined) => boolean {
  const namespace = call.resource.namespaced && call.attributes.namespace;
  const selects = selection(call);
  return (object) => object !== undefined && (!namespace || object.metadata.namespace === namespace) && selects(object);
}

/** What is gone is told as it was, with the version at which it went. */
function lastOf({ metadata: { resourceVersion } }: Stored, previous: Stored | undefined): Record<string, unknown> {
  return { ...previous, metadata: { ...previous?.metadata, resourceVersion } };
}

/** Says how far the watch has come, so that its client can go on from there. */
export function bookmarkOf({ api, resource }: Call): WatchEvent {
  const metadata = { resourceVersion: String(api.store.version), creationTimestamp: null };
  return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
}

function noInitialEvents({ resource: { plural } }: Call) {
  const why = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
  const causes = [cause.forbidden('sendInitialEvents', why)];
  return invalid({ group: 'meta.k8s.io', plural, kind: 'ListOptions' }, '', causes);
}
