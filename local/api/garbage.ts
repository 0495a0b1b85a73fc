/**
 * Garbage collection: what belongs to nobody any more goes, and so does what is in a namespace or of a kind that
 * goes. It looks at everything that is there, whatever happened before, so a restart loses nothing of it.
 */
import type { Stored } from '../types.ts';
import type { Api } from './call.ts';
import { deleteObject, withoutFinalizer } from './write.ts';

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
  const all = [...api.store.all()];
  const owners = new Map(all.map(({ object }) => [object.metadata.uid, object]));
  for (const { resource, object } of all) {
    if (!api.registry.stored(resource)) api.store.remove(resource, object);
    else if (isOrphan(object, owners)) deleteObject(api, resource, { object });
    else if (object.metadata.deletionTimestamp) finish(api, resource, object);
  }
}

/** Whether an object names owners and none of them is there, in its own namespace or in none. */
function isOrphan({ metadata }: Stored, owners: ReadonlyMap<string | undefined, Stored>): boolean {
  const references = metadata.ownerReferences ?? [];
  return references.length > 0 && !references.some(({ uid }) => isWithin(metadata, owners.get(uid)));
}

const isWithin = ({ namespace }: Stored['metadata'], owner: Stored | undefined): boolean =>
  owner !== undefined && [undefined, namespace].includes(owner.metadata.namespace);

/** What still has to happen before an object that is being deleted may go. */
function finish(api: Api, resource: string, object: Stored): void {
  const { finalizers = [], name, uid } = object.metadata;
  if (resource === 'namespaces') emptied(api, name, object);
  const dependents = finalizers.some((each) => each === 'orphan' || each === 'foregroundDeletion')
    ? [...api.store.all()].filter((each) => each.object.metadata.ownerReferences?.some((owner) => owner.uid === uid))
    : [];
  if (finalizers.includes('orphan')) {
    for (const each of dependents) api.store.put(each.resource, disowned(each.object, uid));
    withoutFinalizer(api, resource, { object, finalizer: 'orphan' });
  }
  if (!finalizers.includes('foregroundDeletion')) return;
  const blocking = dependents.filter((each) =>
    each.object.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
  );
  if (blocking.length === 0) withoutFinalizer(api, resource, { object, finalizer: 'foregroundDeletion' });
  for (const each of dependents) deleteObject(api, each.resource, { object: each.object, policy: 'Foreground' });
}

function disowned(object: Stored, uid: string | undefined): Stored {
  const ownerReferences = object.metadata.ownerReferences?.filter((owner) => owner.uid !== uid) ?? [];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function emptied(api: Api, namespace: string, object: Stored): void {
  const inside = [...api.store.all()].filter((each) => each.object.metadata.namespace === namespace);
  if (inside.length === 0) api.store.remove('namespaces', object);
  for (const each of inside) deleteObject(api, each.resource, { object: each.object });
}
