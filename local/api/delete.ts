/** The verbs delete and deletecollection. What has finalizers, or runs on a node, is marked and goes later. */
import type { Stored } from '../types.ts';
import { type Answer, type Api, type Call, isDryRun, ok, timestamp } from './call.ts';
import { conflict, deleted } from './errors.ts';
import { type Metadata, sameContent } from './metadata.ts';
import { list } from './read.ts';
import { existing, keyOf, mayGo } from './write.ts';

interface DeleteOptions {
  preconditions?: { uid?: string; resourceVersion?: string };
  /** `Background` or `Orphan`; `Foreground` is done as `Background`. */
  propagationPolicy?: string;
  gracePeriodSeconds?: number;
  dryRun?: string[];
}

export function remove(call: Call): Answer {
  const object = existing(call);
  const { preconditions = {}, ...options } = (call.body ?? {}) as DeleteOptions;
  hold(call, object, preconditions);
  call.admitDeletion(object);
  const policy = options.propagationPolicy ?? call.query.get('propagationPolicy');
  const grace = options.gracePeriodSeconds ?? call.query.get('gracePeriodSeconds');
  const deletion = { object, orphan: policy === 'Orphan', ...(grace !== null && { grace: Number(grace) }) };
  const dryRun = isDryRun(call) || options.dryRun?.[0] === 'All';
  const left = dryRun ? undefined : deleteObject(call.api, keyOf(call), deletion);
  return ok(left ?? deleted(call.resource, object));
}

/** Holds preconditions against the object. Throws 409. */
function hold({ resource }: Call, { metadata }: Stored, wanted: { uid?: string; resourceVersion?: string }): void {
  const parts = [
    { part: 'UID', given: wanted.uid, is: metadata.uid, might: 'deleted and then recreated' },
    { part: 'ResourceVersion', given: wanted.resourceVersion, is: metadata.resourceVersion, might: 'modified' },
  ];
  for (const { part, given, is, might } of parts.filter((each) => each.given && each.given !== each.is)) {
    const why = `the ${part} in the precondition (${given}) does not match the ${part} in record (${is})`;
    const about = { ...resource, plural: resource.kind };
    throw conflict(about, metadata.name, `${why}. The object might have been ${might}`);
  }
}

/** Deletes each object that the request selects; answers with what there was. */
export function removeAll(call: Call): Answer {
  const answer = list(call);
  for (const { metadata } of answer.body.items as Stored[]) {
    remove({ ...call, attributes: { ...call.attributes, name: metadata.name, namespace: metadata.namespace ?? '' } });
  }
  return answer;
}

interface Deletion {
  object: Stored;
  /** Whether what it owns stays. */
  orphan?: boolean;
  /** Seconds; counts for a pod on a node alone. */
  grace?: number;
}

/** Deletes an object, or marks it as being deleted where something must happen first; then it returns what is left. */
export function deleteObject(api: Api, key: string, { object, orphan, grace }: Deletion): Stored | undefined {
  const { finalizers = [], ...before }: Metadata = object.metadata;
  const seconds = Math.min(graceOf(key, object, grace), before.deletionGracePeriodSeconds ?? Number.POSITIVE_INFINITY);
  const at = timestamp(new Date(api.now().getTime() + seconds * 1000));
  const waits = [...new Set([...finalizers, ...(orphan ? ['orphan'] : [])])];
  const metadata = {
    ...before,
    deletionTimestamp: before.deletionTimestamp ?? at,
    deletionGracePeriodSeconds: seconds,
    ...(before.generation && !before.deletionTimestamp && { generation: before.generation + 1 }),
    ...(waits.length > 0 && { finalizers: waits }),
  };
  const next: Stored = { ...object, metadata, ...(key === 'namespaces' && { status: { phase: 'Terminating' } }) };
  if (mayGo(next)) return void api.store.remove(key, object);
  return sameContent(next, object) ? object : api.store.put(key, next);
}

function graceOf(key: string, { spec }: Stored, grace: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds = 30 } = (spec ?? {}) as Record<string, unknown>;
  return key === 'pods' && nodeName ? (grace ?? Number(terminationGracePeriodSeconds)) : 0;
}

/** Takes a finalizer off an object that is being deleted; with the last one it goes. */
export function withoutFinalizer(api: Api, key: string, { object, name }: { object: Stored; name: string }): void {
  const finalizers = object.metadata.finalizers?.filter((each) => each !== name) ?? [];
  const next = { ...object, metadata: { ...object.metadata, finalizers } };
  if (mayGo(next)) api.store.remove(key, next);
  else api.store.put(key, next);
}
