/**
 * Garbage collection: what belongs to nobody any more goes, and so does what is in a namespace or of a kind that
 * goes. It looks at everything that is there, whatever happened before, so a restart loses nothing of it.
 */
import type { Stored } from '../types.ts';
import type { Api } from './call.ts';
import { deleteObject } from './delete.ts';

/** Collects after each change that may leave garbage, until the returned function is called. */
export function startGarbageCollection(api: Api): () => void {
  let scheduled: NodeJS.Immediate | undefined;
  const schedule = () => {
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      collect(api);
    });
  };
  const stop = api.store.listen(({ type, object: { metadata } }) => {
    if (type === 'DELETED' || metadata.deletionTimestamp || metadata.ownerReferences?.length) schedule();
  });
  schedule();
  return () => {
    stop();
    clearImmediate(scheduled);
  };
}

function collect(api: Api): void {
  const { store, registry } = api;
  const all = store.all();
  const owners: Owners = new Map(all.map(({ object: { metadata } }) => [metadata.uid, metadata]));
  for (const { resource, object } of all) {
    if (isOrphan(owners, object)) deleteObject(api, resource, { object });
    else if (!registry.stored(resource)) store.remove(resource, object);
    else if (resource === 'namespaces' && object.metadata.deletionTimestamp) empty(api, object);
  }
}

type Owners = ReadonlyMap<string | undefined, Stored['metadata']>;

/** Whether an object names owners and none of them is there, in its own namespace or in none. */
function isOrphan(owners: Owners, { metadata: { namespace, ownerReferences = [] } }: Stored): boolean {
  const stands = ownerReferences.some(({ uid }) => {
    const owner = owners.get(uid);
    return owner && (owner.namespace === undefined || owner.namespace === namespace);
  });
  return ownerReferences.length > 0 && !stands;
}

/** Deletes what is in a namespace that goes, then the namespace. */
function empty(api: Api, namespace: Stored): void {
  const inside = api.store.all().filter(({ object }) => object.metadata.namespace === namespace.metadata.name);
  if (inside.length === 0) api.store.remove('namespaces', namespace);
  for (const { resource, object } of inside) deleteObject(api, resource, { object });
}
