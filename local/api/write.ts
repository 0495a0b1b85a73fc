/** The verbs create and update, and what every write goes through. It is one step, so that nobody comes in between. */
import { randomUUID } from 'node:crypto';
import { toTimestamp } from '../../lib/api/conditions.ts';
import { resourceName } from '../../lib/kube/path.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import type { Stored } from '../types.ts';
import { type Answer, type Call, isApply, isDryRun, namespaceOf, ok, writingOf } from './call.ts';
import { decoded } from './decode.ts';
import * as errors from './errors.ts';
import { admitted } from './gate.ts';
import { completed } from './kinds.ts';
import * as meta from './metadata.ts';
import { defaulted, ruleCauses } from './schema.ts';

/** Bytes of one stored object: etcd's limit. */
const MAX_OBJECT = 1.5 * 1024 * 1024;

/** Why a write with an old version is refused. */
const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** The object that the request names, if it is there. */
export const found = (call: Call): Stored | undefined =>
  call.api.store.get(resourceName(call.resource), namespaceOf(call), call.attributes.name);

/** The object that the request names. Throws 404. */
export function existing(call: Call): Stored {
  const object = found(call);
  if (object) return object;
  throw errors.notFound(call.resource, call.attributes.name);
}

export const create = (call: Call): Answer => ok(created(call, decoded(call, call.body)), 201);

/** Stores a new object. Throws 403, 404, 409 and 422. */
export function created(call: Call, object: Stored): Stored {
  const { resource, api } = call;
  const { resourceVersion, deletionTimestamp: _, ...given } = object.metadata;
  if (resourceVersion) throw errors.badRequest('resourceVersion should not be set on objects to be created');
  mustBeOpen(call, given.name);
  const server = { uid: randomUUID(), creationTimestamp: toTimestamp(api.now()) };
  const metadata = { ...given, ...server, ...(object.spec !== undefined && { generation: 1 }) };
  const { status: __, ...rest } = object;
  const next = { ...(resource.subresources.includes('status') ? rest : object), metadata } as Stored;
  const result = settled(call, next);
  if (api.store.get(resourceName(resource), namespaceOf(call), given.name))
    throw errors.alreadyExists(resource, given.name);
  return isDryRun(call) ? result : api.store.put(resourceName(resource), result);
}

/** A namespace must be there, and not be going. */
function mustBeOpen(call: Call, name: string): void {
  const namespace = namespaceOf(call);
  if (!call.resource.namespaced) return;
  const at = call.api.store.get('namespaces', '', namespace);
  if (!at) throw errors.notFound({ group: '', plural: 'namespaces' }, namespace);
  if (!at.metadata.deletionTimestamp) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw errors.forbidden(call.resource, name, why);
}

/** Completes, admits and judges. Throws 403 and 422. */
function settled(call: Call, object: Stored, old?: Stored): Stored {
  const { api, resource } = call;
  const key = resourceName(resource);
  const refuseIf = (wrong: errors.Cause[]) => {
    if (wrong.length > 0) throw errors.invalid(resource, object.metadata.name, wrong);
  };
  const checked = defaulted(key, object);
  refuseIf([...meta.metadataCauses(resource, object.metadata, old?.metadata), ...checked.causes]);
  const complete = completed(key, checked.object, toTimestamp(api.now()));
  const tracked = isApply(call) ? complete : withManaged(call, complete, old);
  const next = admitted(call, old ? 'UPDATE' : 'CREATE', { object: tracked, old });
  refuseIf(ruleCauses(key, next, old));
  if (Buffer.byteLength(JSON.stringify(next)) <= MAX_OBJECT) return next;
  throw errors.internal('etcdserver: request is too large');
}

/** The object with its managed fields as this write leaves them. */
function withManaged(call: Call, updated: Stored, old?: Stored): Stored {
  const managedFields = trackUpdate(updated, old, writingOf(call));
  return { ...updated, metadata: { ...updated.metadata, managedFields } };
}

/** Replaces an object by what the request brings. */
export function update(call: Call): Answer {
  const old = existing(call);
  const next = decoded(call, call.body);
  if (call.resource.schema && !next.metadata.resourceVersion) {
    const unset = errors.cause.invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    throw errors.invalid(call.resource, old.metadata.name, [unset]);
  }
  return ok(replaced(call, old, next));
}

/** Stores an object in place of `old`: of the main resource all but the status, of `/status` the status alone. */
export function replaced(call: Call, old: Stored, object: Stored): Stored {
  const { api, resource, attributes } = call;
  mustBe(call, old, object.metadata);
  const metadata = meta.keptMetadata(object.metadata, old.metadata);
  const next = settled(call, merged(call, old, { ...object, metadata }), old);
  const counts = old.metadata.generation && attributes.subresource !== 'status' && meta.specDiffers(next, old);
  const generation = (old.metadata.generation ?? 0) + 1;
  const result = counts ? { ...next, metadata: { ...next.metadata, generation } } : next;
  if (isDryRun(call)) return result;
  if (meta.sameContent(result, old)) return old;
  const key = resourceName(resource);
  return mayGo(result) ? api.store.remove(key, result) : api.store.put(key, result);
}

function merged({ resource, attributes }: Call, old: Stored, next: Stored): Stored {
  if (attributes.subresource === 'status') {
    const { managedFields } = next.metadata;
    return { ...old, status: next.status, metadata: { ...old.metadata, ...(managedFields && { managedFields }) } };
  }
  if (!resource.subresources.includes('status')) return next;
  const { status: _, ...rest } = next;
  return { ...rest, ...(old.status !== undefined && { status: old.status }) } as Stored;
}

/** What a write says of the object it replaces must be so. Throws 409, and 422 where it means another object. */
function mustBe({ resource }: Call, { metadata }: Stored, { uid, resourceVersion }: Stored['metadata']): void {
  if (uid && uid !== metadata.uid) {
    const other = errors.cause.invalid('metadata.uid', uid, 'field is immutable');
    throw errors.invalid(resource, metadata.name, [other]);
  }
  if (!resourceVersion || resourceVersion === metadata.resourceVersion) return;
  throw errors.conflict(resource, metadata.name, MODIFIED);
}

/** Whether an object that is being deleted may go now; a namespace goes once it is empty. */
export const mayGo = ({ kind, metadata }: Stored): boolean =>
  Boolean(metadata.deletionTimestamp) &&
  kind !== 'Namespace' &&
  !metadata.finalizers?.length &&
  !(metadata as meta.Metadata).deletionGracePeriodSeconds;
