/** The verbs that write: create, update and delete. Each runs in one step, so that nobody comes in between. */
import { randomUUID } from 'node:crypto';
import type { Stored } from '../types.ts';
import { type Answer, type Api, type Call, isDryRun, ok, timestamp } from './call.ts';
import * as errors from './errors.ts';
import { KINDS } from './kinds.ts';
import * as meta from './metadata.ts';
import { type Found, judged, pruned } from './schema.ts';

const keyOf = (call: Call): string => errors.groupResource(call.resource);

/** The object that the request names. Throws 404. */
export function existing({ api, resource, attributes: { namespace, name } }: Call): Stored {
  const found = api.store.get(errors.groupResource(resource), resource.namespaced ? namespace : '', name);
  if (!found) throw errors.notFound(resource, name);
  return found;
}

/** What a write goes on with: an object of the right kind, in the right place, without what its schema doesn't know. */
export function decoded(call: Call, body: unknown): { object: Stored; found: Found } {
  const { resource, attributes } = call;
  const apiVersion = resource.group ? `${resource.group}/${resource.version}` : resource.version;
  const given = body as Partial<Stored> | undefined;
  if (typeof given !== 'object' || given === null || given.kind !== resource.kind || given.apiVersion !== apiVersion) {
    throw errors.badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): it says ${given?.apiVersion}, Kind=${given?.kind}, expected ${apiVersion}, Kind=${resource.kind}`,
    );
  }
  const metadata = { ...given.metadata } as Stored['metadata'];
  const namespace = resource.namespaced ? attributes.namespace : '';
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw errors.badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  if (namespace) metadata.namespace = namespace;
  const found: Found = { unknown: [], causes: [] };
  const { kind: _, apiVersion: __, metadata: ___, ...rest } = given;
  const known = pruned(rest, resource.schema, { path: '', found }) as object;
  tellUnknown(call, found.unknown);
  return { object: { apiVersion, kind: resource.kind, metadata, ...known }, found };
}

function tellUnknown({ query, warnings }: Call, unknown: string[]): void {
  const texts = unknown.map((path) => `unknown field "${path}"`);
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (validation === 'Strict' && texts.length > 0) {
    throw errors.badRequest(`strict decoding error: ${texts.join(', ')}`);
  }
  if (validation === 'Warn') warnings.push(...texts);
}

export function create(call: Call): Answer {
  const { api, resource } = call;
  const { object, found } = decoded(call, call.body);
  if (object.metadata.resourceVersion)
    throw errors.badRequest('resourceVersion should not be set on objects to be created');
  const { name, generateName } = object.metadata;
  if (!name && generateName) object.metadata.name = meta.generated(generateName);
  mustBeOpen(call, object.metadata.name);
  const draft: Stored = { ...object, metadata: fresh(call, object.metadata) };
  if (resource.subresources.includes('status')) delete draft.status;
  const admitted = settled(call, { object: draft, causes: found.causes });
  if (api.store.get(keyOf(call), object.metadata.namespace ?? '', object.metadata.name)) {
    throw errors.alreadyExists(resource, object.metadata.name);
  }
  return ok(isDryRun(call) ? admitted : api.store.put(keyOf(call), admitted), 201);
}

function fresh({ api, resource }: Call, given: Stored['metadata']): Stored['metadata'] {
  const { deletionTimestamp: _, resourceVersion: __, ...metadata } = given;
  const generation = resource.generation ? { generation: 1 } : {};
  return { ...metadata, uid: randomUUID(), creationTimestamp: timestamp(api.now()), ...generation };
}

/** A namespace must be there, and not be going. */
function mustBeOpen({ api, resource, attributes: { namespace } }: Call, name: string): void {
  if (!resource.namespaced) return;
  const at = api.store.get('namespaces', '', namespace);
  if (!at) throw errors.notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace);
  if (!at.metadata.deletionTimestamp) return;
  throw errors.forbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
}

/** Completes, admits and judges an object that is about to be stored. Throws 403 and 422. */
function settled(call: Call, { object, causes }: { object: Stored; causes: errors.Cause[] }, old?: Stored): Stored {
  const kind = KINDS[keyOf(call)] ?? {};
  const completed = kind.complete?.(object, timestamp(call.api.now())) ?? object;
  const first = judged(keyOf(call), completed, old);
  const admitted = first.causes.length > 0 ? first.object : call.admit(first.object, old);
  const last = judged(keyOf(call), admitted, old);
  const all = [
    ...meta.metadataCauses(call.resource, admitted.metadata),
    ...(old ? meta.finalizerCauses(admitted.metadata, old.metadata) : []),
    ...causes,
    ...last.causes,
    ...(kind.validate?.(admitted, old) ?? []),
  ];
  if (all.length > 0) throw errors.invalid(call.resource, admitted.metadata.name, all);
  return last.object;
}

/** Replaces an object by what the request brings. */
export function update(call: Call): Answer {
  const old = existing(call);
  const { object, found } = decoded(call, call.body);
  return ok(replaced(call, { old, object, causes: found.causes }));
}

/** Stores `object` in place of `old`: of the main resource all but the status, of `/status` the status alone. */
export function replaced(
  call: Call,
  { old, object, causes }: { old: Stored; object: Stored; causes: errors.Cause[] },
): Stored {
  const { api, resource, attributes } = call;
  preconditions(call, old, object.metadata);
  const metadata = meta.keptMetadata(object.metadata, old.metadata);
  const next = merged(call, old, { ...object, metadata });
  const settledOne = settled(call, { object: next, causes }, old);
  const changed = resource.generation && attributes.subresource !== 'status' && meta.specDiffers(settledOne, old);
  const generation = (old.metadata.generation ?? 0) + 1;
  const result = changed ? { ...settledOne, metadata: { ...settledOne.metadata, generation } } : settledOne;
  if (isDryRun(call) || meta.sameContent(result, old)) return isDryRun(call) ? result : old;
  return isGone(result) ? api.store.remove(keyOf(call), result) : api.store.put(keyOf(call), result);
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

function preconditions({ resource }: Call, old: Stored, { uid, resourceVersion }: Partial<Stored['metadata']>): void {
  const { name, uid: oldUid } = old.metadata;
  if (uid && uid !== oldUid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${oldUid}`;
    throw errors.conflict(resource, name, why);
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion)
    throw errors.conflict(resource, name, errors.MODIFIED);
}

/** Whether an object that was to go may go now: a namespace never by itself. */
const isGone = ({ kind, metadata }: Stored): boolean =>
  Boolean(metadata.deletionTimestamp) &&
  kind !== 'Namespace' &&
  !metadata.finalizers?.length &&
  !(metadata as { deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds;

/** Takes a finalizer off an object that is being deleted; with the last one it goes. */
export function withoutFinalizer(
  api: Api,
  key: string,
  { object, finalizer }: { object: Stored; finalizer: string },
): void {
  const finalizers = object.metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
  const next = { ...object, metadata: { ...object.metadata, finalizers } };
  if (isGone(next)) api.store.remove(key, next);
  else api.store.put(key, next);
}

interface DeleteOptions {
  preconditions?: { uid?: string; resourceVersion?: string };
  propagationPolicy?: string;
  gracePeriodSeconds?: number;
  dryRun?: string[];
}

export function remove(call: Call): Answer {
  const old = existing(call);
  const options = (call.body ?? {}) as DeleteOptions;
  preconditions(call, old, options.preconditions ?? {});
  call.admit(old, old);
  const dry = isDryRun(call) || options.dryRun?.includes('All');
  const policy = options.propagationPolicy ?? call.query.get('propagationPolicy') ?? 'Background';
  const grace = options.gracePeriodSeconds ?? numberOf(call.query.get('gracePeriodSeconds'));
  const left = dry
    ? undefined
    : deleteObject(call.api, keyOf(call), { object: old, policy, ...(grace !== undefined && { grace }) });
  return ok(left ?? errors.deleted(call.resource, old));
}

const numberOf = (text: string | null): number | undefined => (text === null ? undefined : Number(text));

/** What is to go, and how. */
interface Deletion {
  object: Stored;
  policy?: string;
  /** Seconds; counts for a pod on a node alone. */
  grace?: number;
}

/** Deletes, or marks as being deleted where finalizers or a node must act first; then it returns what is left. */
export function deleteObject(api: Api, key: string, { object, policy, grace }: Deletion): Stored | undefined {
  const waits = [...new Set([...(object.metadata.finalizers ?? []), ...(FINALIZERS[policy ?? ''] ?? [])])];
  const { nodeName, terminationGracePeriodSeconds = 30 } = (object.spec ?? {}) as Record<string, unknown>;
  const seconds = key === 'pods' && nodeName ? (grace ?? Number(terminationGracePeriodSeconds)) : 0;
  const at = new Date(api.now().getTime() + seconds * 1000);
  const before = object.metadata as Stored['metadata'] & { deletionGracePeriodSeconds?: number };
  const metadata = {
    ...before,
    deletionTimestamp: before.deletionTimestamp ?? timestamp(at),
    deletionGracePeriodSeconds: Math.min(seconds, before.deletionGracePeriodSeconds ?? seconds),
    ...(waits.length > 0 && { finalizers: waits }),
  };
  const next = going(key, { ...object, metadata });
  if (isGone(next)) return void api.store.remove(key, object);
  return meta.sameContent(next, object) ? object : api.store.put(key, next);
}

const FINALIZERS: Record<string, string[]> = { Orphan: ['orphan'], Foreground: ['foregroundDeletion'] };

const going = (key: string, object: Stored): Stored =>
  key === 'namespaces' ? { ...object, status: { phase: 'Terminating' } } : object;
