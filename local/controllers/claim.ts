/**
 * The claim controller: a claim is Bound at once (its storage is a folder, which the node makes), and a claim that
 * is being deleted stays until no pod uses it, as `pvc-protection` does it.
 */
import type { V1PersistentVolumeClaimSpec } from '@kubernetes/client-node';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { CLAIMS as OBJECTS, type Ref, type ResourceType } from '../../lib/kube/types.ts';
import { claimsOf, isFinished, PODS, type Pod } from '../node/pod.ts';
import { follow, type Part, startController, type World } from './loop.ts';

export interface Claim extends KubeObject {
  spec: V1PersistentVolumeClaimSpec;
  status?: { phase?: string };
}
export const CLAIMS = OBJECTS as ResourceType<Claim>;
const FINALIZER = 'kubernetes.io/pvc-protection';

/** A pod uses its claims from when the node has taken it (PodScheduled) until it has run to its end. */
const uses = (pod: Pod, claim: string): boolean =>
  claimsOf(pod).includes(claim) &&
  !isFinished(pod) &&
  (pod.status?.conditions?.some(({ type, status }) => type === 'PodScheduled' && status === 'True') ?? false);

async function bind({ client }: World, { apiVersion, kind, metadata, spec }: Stored<Claim>): Promise<void> {
  const { name, namespace = '', uid } = metadata;
  const status = { phase: 'Bound', accessModes: spec.accessModes, capacity: spec.resources?.requests };
  await client.applyStatus(CLAIMS, { apiVersion, kind, metadata: { name, namespace, uid }, status });
}

async function setFinalizers({ client }: World, { metadata }: Stored<Claim>, finalizers: string[]): Promise<void> {
  const { resourceVersion } = metadata;
  await client.patch(CLAIMS, metadata, { type: 'merge', body: { metadata: { resourceVersion, finalizers } } });
}

async function release(world: World, claim: Stored<Claim>, finalizers: string[]): Promise<void> {
  const { name, namespace = '' } = claim.metadata;
  const pods = await world.client.list(PODS, { namespace });
  if (pods.items.some((pod) => uses(pod, name))) return;
  await setFinalizers(
    world,
    claim,
    finalizers.filter((finalizer) => finalizer !== FINALIZER),
  );
}

async function reconcile(world: World, ref: Ref): Promise<void> {
  const claim = await world.client.get(CLAIMS, ref);
  if (!claim) return;
  const { deletionTimestamp, finalizers = [] } = claim.metadata;
  const guarded = finalizers.includes(FINALIZER);
  if (deletionTimestamp !== undefined) return guarded ? release(world, claim, finalizers) : undefined;
  if (!guarded) return setFinalizers(world, claim, [...finalizers, FINALIZER]);
  if (claim.status?.phase !== 'Bound') await bind(world, claim);
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
