/**
 * The claim controller: a claim is Bound at once (its storage is a folder, which the node makes), and a claim that
 * is being deleted stays until no pod uses it, as `pvc-protection` does it.
 */
import type { V1PersistentVolumeClaimSpec } from '@kubernetes/client-node';
import { isTrue } from '../../lib/api/conditions.ts';
import type { KubeObject } from '../../lib/api/meta.ts';
import { CLAIMS as OBJECTS, type Ref, type ResourceType } from '../../lib/kube/types.ts';
import { claimsOf, isOver, PODS, type Pod } from '../node/pod.ts';
import { follow, type Part, startController, type World } from './loop.ts';
import { setStatus } from './status.ts';

export interface Claim extends KubeObject {
  spec: V1PersistentVolumeClaimSpec;
  status?: { phase: string };
}
export const CLAIMS = OBJECTS as ResourceType<Claim>;
const FINALIZER = 'kubernetes.io/pvc-protection';

/** A pod uses its claims from when the node has taken it, until nothing of it is to run any more. */
const uses = (pod: Pod, claim: string): boolean =>
  claimsOf(pod).includes(claim) && isTrue(pod, 'PodScheduled') && !isOver(pod);

async function isUsed({ client }: World, { namespace = '', name }: Ref): Promise<boolean> {
  const pods = await client.list(PODS, { namespace });
  return pods.items.some((pod) => uses(pod, name));
}

async function reconcile(world: World, ref: Ref): Promise<void> {
  const claim = await world.client.get(CLAIMS, ref);
  if (!claim) return;
  const { deletionTimestamp, finalizers = [], resourceVersion } = claim.metadata;
  const isGuarded = finalizers.includes(FINALIZER);
  const isToBe = deletionTimestamp ? isGuarded && (await isUsed(world, ref)) : true;
  if (isGuarded !== isToBe) {
    const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
    const metadata = { resourceVersion, finalizers: isToBe ? [...others, FINALIZER] : others };
    await world.client.patch(CLAIMS, ref, { type: 'merge', body: { metadata } });
  }
  const { accessModes, resources } = claim.spec;
  const status = { phase: 'Bound', accessModes, capacity: resources?.requests };
  if (!deletionTimestamp) await setStatus(world, CLAIMS, { object: claim, status });
}

/** Runs until stopped. */
export const startClaims = (world: World): Part =>
  startController(
    world,
    (ref) => reconcile(world, ref),
    (signal, add) => [
      follow(world, CLAIMS, { signal, changed: ({ metadata }) => add(metadata) }),
      follow(world, PODS, {
        signal,
        changed: (pod) => {
          for (const name of claimsOf(pod)) add({ ...pod.metadata, name });
        },
      }),
    ],
  );
