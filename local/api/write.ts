/** The verbs create and update, and what every write goes through. It is one step, so that nobody comes in between. */
import { randomUUID } from 'node:crypto';
import { ApiError } from '../../lib/kube/errors.ts';
import { builtInKeys, crdKeys, type ListKeys } from '../apply/list-keys.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import type { Stored } from '../types.ts';
import { type Answer, type Call, isDryRun, ok, timestamp } from './call.ts';
import * as errors from './errors.ts';
import { KINDS } from './kinds.ts';
import * as meta from './metadata.ts';
import { holdToQuota } from './quota.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { defaulted, type Found, metadataProblem, pruned, ruleCauses } from './schema.ts';

/** Bytes of one stored object: etcd's limit. */
const MAX_OBJECT = 1.5 * 1024 * 1024;

/** Why a write with an old version is refused. */
const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** An object that is about to be stored, and what was found wrong with it so far. */
export interface Draft {
  object: Stored;
  causes: errors.Cause[];
  /** Whether its managed fields say already who set what. */
  applied?: boolean;
}

export const keyOf = (call: Call): string => errors.groupResource(call.resource);
export const listKeys = ({ schema }: Resource): ListKeys => (schema ? crdKeys(schema) : builtInKeys);

/** The object that the request names, if it is there. */
export const found = ({ api, resource, attributes: { namespace, name } }: Call): Stored | undefined =>
  api.store.get(errors.groupResource(resource), resource.namespaced ? namespace : '', name);

/** The object that the request names. Throws 404. */
export function existing(call: Call): Stored {
  const object = found(call);
  if (object) return object;
  throw errors.notFound(call.resource, call.attributes.name);
}

/** An object of the right kind, in the right place, without what its schema doesn't know. Throws 400. */
export function decoded(call: Call, body: unknown): Draft {
  const { kind, version, schema = true } = call.resource;
  const named = { kind, apiVersion: apiVersionOf(call.resource), metadata: {} };
  const { metadata: stated, ...rest } = { ...named, ...(body as object | undefined) };
  const metadata = Object.fromEntries(Object.entries(stated ?? {}).filter(([, value]) => value !== null));
  const problem =
    rest.kind === kind && rest.apiVersion === named.apiVersion
      ? metadataProblem(metadata)
      : `it is ${rest.apiVersion}, Kind=${rest.kind}`;
  if (problem) throw errors.badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
  const notes: Found = { unknown: [], causes: [] };
  const { kind: _, apiVersion: __, ...fields } = rest;
  const known = pruned(fields, schema, { path: '', found: notes }) as object;
  tellUnknown(call, notes.unknown);
  return { object: { ...named, metadata: inPlace(call, metadata), ...known }, causes: notes.causes };
}

/** Metadata with the name and namespace of the request. */
function inPlace({ resource, attributes }: Call, metadata: Record<string, unknown>): Stored['metadata'] {
  const namespace = resource.namespaced ? attributes.namespace : '';
  const { namespace: stated, name = attributes.name, ...rest } = metadata;
  if (attributes.name && name !== attributes.name) {
    throw errors.badRequest(`the name of the object (${name}) does not match the name on the URL (${attributes.name})`);
  }
  if (stated && stated !== namespace) {
    throw errors.badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return { name, ...rest, ...(namespace && { namespace }) } as Stored['metadata'];
}

function tellUnknown({ query, warnings, resource: { kind, version } }: Call, unknown: string[]): void {
  const texts = unknown.map((path) => `unknown field "${path}"`);
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (validation === 'Warn') warnings.push(...texts);
  if (validation !== 'Strict' || texts.length === 0) return;
  const what = `${kind} in version "${version}" cannot be handled as a ${kind}`;
  throw errors.badRequest(`${what}: strict decoding error: ${texts.join(', ')}`);
}

export const create = (call: Call): Answer => ok(created(call, decoded(call, call.body)), 201);

/** Stores a new object. Throws 403, 404, 409 and 422. */
export function created(call: Call, { object, ...draft }: Draft): Stored {
  const { resource, api } = call;
  const { resourceVersion, deletionTimestamp: _, ...given } = object.metadata;
  if (resourceVersion) throw errors.badRequest('resourceVersion should not be set on objects to be created');
  const name = given.name || (given.generateName ? meta.generated(given.generateName) : '');
  mustBeOpen(call, name);
  const server = { name, uid: randomUUID(), creationTimestamp: timestamp(api.now()) };
  const metadata = { ...given, ...server, ...(resource.generation && { generation: 1 }) };
  const { status: __, ...rest } = object;
  const next = resource.subresources.includes('status') ? rest : object;
  const settledOne = settled(call, { ...draft, object: { ...next, metadata } as Stored });
  if (api.store.get(keyOf(call), metadata.namespace ?? '', name)) throw errors.alreadyExists(resource, name);
  holdToQuota(api.store, resource, settledOne);
  return isDryRun(call) ? settledOne : api.store.put(keyOf(call), settledOne);
}

/** A namespace must be there, and not be going. */
function mustBeOpen({ api, resource, attributes: { namespace } }: Call, name: string): void {
  if (!resource.namespaced) return;
  const at = api.store.get('namespaces', '', namespace);
  if (!at) throw errors.notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace);
  if (!at.metadata.deletionTimestamp) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw errors.forbidden(resource, name, why);
}

/** Completes, admits and judges. Throws 403 and 422. */
function settled(call: Call, { object, causes, applied }: Draft, old?: Stored): Stored {
  const { api, resource } = call;
  const kind = KINDS[keyOf(call)];
  const checked = defaulted(keyOf(call), object);
  const refuseIf = (wrong: errors.Cause[]) => {
    if (wrong.length > 0) throw errors.invalid(resource, object.metadata.name, wrong);
  };
  refuseIf([...meta.metadataCauses(resource, object.metadata, old?.metadata), ...causes, ...checked.causes]);
  const complete = kind?.complete?.(checked.object, timestamp(api.now())) ?? checked.object;
  const next = call.admit(applied ? complete : tracked(call, complete, old), old);
  refuseIf([...ruleCauses(keyOf(call), next, old), ...(kind?.validate?.(next, old) ?? [])]);
  if (Buffer.byteLength(JSON.stringify(next)) > MAX_OBJECT) throw tooLarge();
  return next;
}

/** The object with its managed fields as this write leaves them. */
function tracked({ api, resource, manager, attributes: { subresource } }: Call, updated: Stored, old?: Stored): Stored {
  const managedFields = trackUpdate(updated, old, { manager, subresource, now: api.now(), keys: listKeys(resource) });
  return { ...updated, metadata: { ...updated.metadata, managedFields } };
}

const tooLarge = () => new ApiError(500, { reason: '', message: 'etcdserver: request is too large' });

/** Replaces an object by what the request brings. */
export function update(call: Call): Answer {
  const old = existing(call);
  const draft = decoded(call, call.body);
  if (call.resource.schema && !draft.object.metadata.resourceVersion) {
    const unset = errors.cause.invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    throw errors.invalid({ ...call.resource, kind: call.resource.plural }, old.metadata.name, [unset]);
  }
  return ok(replaced(call, old, draft));
}

/** Stores a draft in place of `old`: of the main resource all but the status, of `/status` the status alone. */
export function replaced(call: Call, old: Stored, { object, ...draft }: Draft): Stored {
  const { api, resource, attributes } = call;
  mustBe(call, old, object.metadata);
  const metadata = meta.keptMetadata(object.metadata, old.metadata);
  const next = settled(call, { ...draft, object: merged(call, old, { ...object, metadata }) }, old);
  const counts = resource.generation && attributes.subresource !== 'status' && meta.specDiffers(next, old);
  const generation = (old.metadata.generation ?? 0) + 1;
  const result = counts ? { ...next, metadata: { ...next.metadata, generation } } : next;
  if (isDryRun(call)) return result;
  if (meta.sameContent(result, old)) return old;
  return mayGo(result) ? api.store.remove(keyOf(call), result) : api.store.put(keyOf(call), result);
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

/** What an update says of the object it replaces must be so. Throws 409. */
function mustBe({ resource }: Call, { metadata }: Stored, { uid, resourceVersion }: Stored['metadata']): void {
  const { name, uid: is } = metadata;
  const otherUid = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${is}`;
  if (uid && uid !== is) throw errors.conflict(resource, name, otherUid);
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) throw errors.conflict(resource, name, MODIFIED);
}

/** Whether an object that is being deleted may go now; a namespace goes once it is empty. */
export const mayGo = ({ kind, metadata }: Stored): boolean =>
  Boolean(metadata.deletionTimestamp) &&
  kind !== 'Namespace' &&
  !metadata.finalizers?.length &&
  !(metadata as meta.Metadata).deletionGracePeriodSeconds;
