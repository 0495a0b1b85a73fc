/** The verb delete. What has finalizers, or runs on a node, is marked and goes later. */
import { toTimestamp } from '../../lib/api/conditions.ts';
import { resourceName } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';
import { type Answer, type Api, type Call, isDryRun, ok } from './call.ts';
import { conflict, deleted, notImplemented } from './errors.ts';
import { admitted } from './gate.ts';
import { type Metadata, sameContent } from './metadata.ts';
import { existing, mayGo } from './write.ts';

interface DeleteOptions {
  preconditions?: { uid?: string; resourceVersion?: string };
  /** `Background`; `Foreground` is done as `Background`. */
  propagationPolicy?: string;
  /** Counts for a pod on a node alone. */
  gracePeriodSeconds?: number;
  dryRun?: string[];
}

export function remove(call: Call): Answer {
  const { api, resource, query, body } = call;
  const object = existing(call);
  const options = { ...Object.fromEntries(query), ...(body as object | undefined) } as DeleteOptions;
  if (options.propagationPolicy === 'Orphan') throw notImplemented('the propagation policy Orphan');
  hold(call, object, options.preconditions ?? {});
  admitted(call, 'DELETE', { object, old: object });
  const isRehearsed = isDryRun(call) || options.dryRun?.[0] === 'All';
  const grace = options.gracePeriodSeconds;
  const left = isRehearsed ? undefined : deleteObject(api, resourceName(resource), { object, grace });
  return ok(left ?? deleted(resource, object));
}

/** Holds preconditions against the object. Throws 409. */
function hold({ resource }: Call, { metadata }: Stored, wanted: NonNullable<DeleteOptions['preconditions']>): void {
  for (const [part, given, is] of [
    ['UID', wanted.uid, metadata.uid],
    ['ResourceVersion', wanted.resourceVersion, metadata.resourceVersion],
  ]) {
    if (!given || given === is) continue;
    const why = `the ${part} in the precondition (${given}) does not match the ${part} in record (${is})`;
    throw conflict(resource, metadata.name, why);
  }
}

/** Deletes an object, or marks it as being deleted where something must happen first; then it returns what is left. */
export function deleteObject(
  api: Api,
  key: string,
  { object, grace }: { object: Stored; grace?: number | undefined },
): Stored | undefined {
  const before: Metadata = object.metadata;
  const seconds = Math.min(graceOf(key, object, grace), before.deletionGracePeriodSeconds ?? Number.POSITIVE_INFINITY);
  const metadata: Metadata = {
    ...before,
    deletionTimestamp: before.deletionTimestamp ?? toTimestamp(new Date(api.now().getTime() + seconds * 1000)),
    deletionGracePeriodSeconds: seconds,
    ...(before.generation && !before.deletionTimestamp && { generation: before.generation + 1 }),
  };
  const next: Stored = { ...object, metadata, ...(key === 'namespaces' && { status: { phase: 'Terminating' } }) };
  if (mayGo(next)) return void api.store.remove(key, object);
  return sameContent(next, object) ? object : api.store.put(key, next);
}

function graceOf(key: string, { spec }: Stored, grace: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds = 30 } = (spec ?? {}) as Record<string, unknown>;
  return key === 'pods' && nodeName ? Number(grace ?? terminationGracePeriodSeconds) : 0;
}
