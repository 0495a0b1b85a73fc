/**
 * Garbage collection: what belongs to nobody any more goes, and so does what is in a namespace or of a kind that
 * goes. It looks at everything that is there, whatever happened before, so a restart loses nothing of it.
 */
import type { Stored } from '../types.ts';
import type { Api } from './call.ts';
import { deleteObject, withoutFinalizer } from './delete.ts';

/** Collects after each change that may leave garbage, until the returned function is called. */
export function startGarbageCollection(api: Api): () => void {
  let scheduled: NodeJS.Immediate | undefined;
  const schedule = () => {
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      const all = [...api.store.all()];
      const owners: Owners = new Map(all.map(({ object: { metadata } }) => [metadata.uid, metadata]));
      for (const { resource, object } of all) {
        if (isOrphan(owners, object)) deleteObject(api, resource, { object });
        else finish(api, resource, object);
      }
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

type Owners = ReadonlyMap<string | undefined, Stored['metadata']>;

/** Whether an object names owners and none of them is there, in its own namespace or in none. */
function isOrphan(owners: Owners, { metadata: { namespace, ownerReferences } }: Stored): boolean {
  if (!ownerReferences?.length) return false;
  return !ownerReferences.some(({ uid }) => {
    const owner = owners.get(uid);
    return owner && (owner.namespace === undefined || owner.namespace === namespace);
  });
}

/** Does what has to happen before an object that is being deleted, or whose kind is gone, may go. */
function finish(api: Api, resource: string, object: Stored): void {
  const { name, finalizers, deletionTimestamp } = object.metadata;
  if (!api.registry.stored(resource)) api.store.remove(resource, object);
  else if (deletionTimestamp && resource === 'namespaces') empty(api, name, object);
  else if (deletionTimestamp && finalizers?.includes('orphan')) release(api, resource, object);
}

function empty(api: Api, namespace: string, object: Stored): void {
  const inside = [...api.store.all()].filter((each) => each.object.metadata.namespace === namespace);
  if (inside.length === 0) api.store.remove('namespaces', object);
  for (const each of inside) deleteObject(api, each.resource, { object: each.object });
}

/** Lets what an object owns stay without it. */
function release(api: Api, key: string, object: Stored): void {
  const isOwner = ({ uid }: { uid: string }) => uid === object.metadata.uid;
  for (const { resource, object: owned } of [...api.store.all()]) {
    const { ownerReferences } = owned.metadata;
    if (!ownerReferences?.some(isOwner)) continue;
    const left = ownerReferences.filter((owner) => !isOwner(owner));
    api.store.put(resource, { ...owned, metadata: { ...owned.metadata, ownerReferences: left } });
  }
  withoutFinalizer(api, key, { object, name: 'orphan' });
}
