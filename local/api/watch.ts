/** The verb watch: what there is, or what came after a version, then each change as it happens. */
import { apiVersion, resourceName } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';
import { type Call, namespaceOf } from './call.ts';
import { cause, expired, invalid, statusOf } from './errors.ts';
import { selection } from './read.ts';
import type { Change } from './store.ts';

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: Record<string, unknown>;
}

/** Sends what the request watches until the returned function is called. Throws 400 and 422 before it sends anything. */
export function watch(call: Call, send: (event: WatchEvent) => void): () => void {
  const { api, query } = call;
  if (query.get('sendInitialEvents')) {
    const causes = [cause.invalid('sendInitialEvents', undefined, 'the stand-in does not list by watching')];
    throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
  }
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
function initial(call: Call): Change[] {
  const { store } = call.api;
  const resource = resourceName(call.resource);
  const objects = store.list(resource, namespaceOf(call));
  return objects.map((object) => ({ version: store.version, type: 'ADDED', resource, object }));
}

/** A change as this watch sees it: what comes into its selection is added, what leaves it is deleted. */
function translator(call: Call): (change: Change) => WatchEvent | undefined {
  const [key, namespace, selects] = [resourceName(call.resource), namespaceOf(call), selection(call)];
  const matches = (object: Stored | undefined) =>
    object !== undefined && (!namespace || object.metadata.namespace === namespace) && selects(object);
  const told = ({ type, object, previous }: Change): WatchEvent | undefined => {
    const was = matches(previous);
    if (type !== 'DELETED' && matches(object)) return { type: was ? 'MODIFIED' : 'ADDED', object };
    return was ? { type: 'DELETED', object: lastOf(object, previous) } : undefined;
  };
  return (change) => (change.resource === key ? told(change) : undefined);
}

/** What is gone is told as it was, with the version at which it went. */
function lastOf({ metadata: { resourceVersion } }: Stored, previous: Stored | undefined): Record<string, unknown> {
  return { ...previous, metadata: { ...previous?.metadata, resourceVersion } };
}

/** Says how far the watch has come, so that its client can go on from there. */
export function bookmarkOf({ api, resource }: Call): WatchEvent {
  const metadata = { resourceVersion: String(api.store.version), creationTimestamp: null };
  return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: apiVersion(resource), metadata } };
}
