/**
 * Makes one object exist, or go, acting as a person. It creates first and looks afterwards, because a new Session's
 * children are not there yet; what is there is brought into line only where it is ours and alive. Anything else
 * is refused by name: adopting a stranger's object would hand it a lifetime and an owner it never asked for, and
 * a predecessor's claim that still terminates would leave the new pod waiting for ever.
 */
import type { KubeObject, Stored } from './api/meta.ts';
import { ApiError, isAlreadyExists, isBadRequest, isForbidden, isInvalid } from './kube/errors.ts';
import type { Client } from './kube/types.ts';
import { despiteConflicts } from './kube/version.ts';
import type { Ensure, Refusal, Remove } from './plan.ts';

/** How often an object is read anew that changed between the look at it and the apply. */
const ATTEMPTS = 3;

/** `undefined` once the object is as it should be. Throws what may pass by itself and is nobody's mistake. */
export async function ensure(client: Client, child: Ensure): Promise<Refusal | undefined> {
  try {
    if (!child.known && (await created(client, child))) return undefined;
    // The controllers of Kubernetes write to the same objects.
    return await despiteConflicts(ATTEMPTS, () => converge(client, child));
  } catch (error) {
    return refusalOf(error, named(child.object));
  }
}

/** `undefined` once the object is gone. Throws as `ensure` does. */
export async function remove(client: Client, { type, ref, precondition }: Remove): Promise<Refusal | undefined> {
  try {
    await client.delete(type, ref, precondition);
    return undefined;
  } catch (error) {
    return refusalOf(error, `${type.kind} "${ref.name}"`);
  }
}

async function created(client: Client, { type, object }: Ensure): Promise<boolean> {
  try {
    await client.create(type, object);
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

async function converge(client: Client, child: Ensure): Promise<Refusal | undefined> {
  const { type, object, mine, foreign, mode } = child;
  if (!mine) return undefined;
  const live = await client.get(type, object.metadata);
  if (!live) return (await created(client, child)) ? undefined : vanished(object);
  if (live.metadata.deletionTimestamp) return terminating(live);
  if (!mine(live)) return taken(live);
  const more = foreign?.(live);
  if (more) return tampered(live, more);
  if (mode === 'apply') await applied(client, child, live);
  return undefined;
}

/**
 * What `create` wrote is owned by an `Update` entry of our manager, which a later apply would only share: a field
 * that we no longer apply would stay. So the entry is renamed to `Apply` before the first apply, as kubectl does
 * when it moves from client-side apply (k8s.io/client-go/util/csaupgrade). The version is replaced by itself, because
 * another one is then a Conflict; a `test` or a path that fails would be called Invalid, as if a person were wrong.
 */
async function applied(client: Client, { type, object }: Ensure, live: Stored<KubeObject>): Promise<void> {
  const entries = live.metadata.managedFields ?? [];
  const created = entries.find(
    ({ operation, subresource, manager }) => operation === 'Update' && !subresource && manager === client.fieldManager,
  );
  const already = entries.some(({ operation, manager }) => operation === 'Apply' && manager === client.fieldManager);
  if (created && !already) {
    const renamed = entries.map((entry) => (entry === created ? { ...entry, operation: 'Apply' } : entry));
    await client.patch(type, object.metadata, {
      type: 'json',
      body: [
        { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
        { op: 'add', path: '/metadata/managedFields', value: renamed },
      ],
    });
  }
  await client.apply(type, { ...object, metadata: { ...object.metadata, uid: live.metadata.uid } });
}

const named = ({ kind, metadata }: KubeObject): string => `${kind} "${metadata.name}"`;

const vanished = (object: KubeObject): Refusal => ({
  reason: 'NameTaken',
  message: `${named(object)} came and went while it was being made`,
  passes: true,
});

const terminating = (live: KubeObject): Refusal => ({
  reason: 'PredecessorTerminating',
  message: `${named(live)} of an earlier object with this name is still being deleted`,
  passes: true,
});

const taken = (live: KubeObject): Refusal => ({
  reason: 'NameTaken',
  message: `${named(live)} exists already and does not belong to this object; rename or delete it, or use another name`,
  passes: true,
});

const tampered = (live: KubeObject, more: string): Refusal => ({
  reason: 'Tampered',
  message: `${named(live)} has ${more}, which was not asked for here; delete it, and it is made anew`,
  passes: false,
});

/** A refusal for what a person has to put right, in the API server's own words. Throws anything else. */
function refusalOf(error: unknown, what: string): Refusal {
  if (!(error instanceof ApiError)) throw error;
  const message = `${what}: ${error.message}`;
  if (isForbidden(error))
    return { reason: /exceeded quota/.test(error.message) ? 'QuotaExceeded' : 'Forbidden', message, passes: false };
  if (isInvalid(error) || isBadRequest(error)) return { reason: 'Invalid', message, passes: false };
  throw error;
}
