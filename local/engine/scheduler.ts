/**
 * What a scheduler and a provisioner of volumes do, for the one node: every pod is bound to it as soon as its claims
 * are there to stay, and every claim is Bound at once, since its storage is a folder.
 */
import type { V1PersistentVolumeClaimSpec } from '@kubernetes/client-node';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { isConflict } from '../../lib/kube/errors.ts';
import { objectPath } from '../../lib/kube/path.ts';
import {
  type Client,
  CLAIMS as OBJECTS,
  type Ref,
  type ResourceType,
  type WatchOptions,
} from '../../lib/kube/types.ts';
import { follow, type Part, startController, type World } from '../controllers/loop.ts';
import { claimsOf, PODS, type Pod } from '../node/pod.ts';

interface Claim extends KubeObject {
  spec: V1PersistentVolumeClaimSpec;
  status?: { phase?: string };
}
const CLAIMS = OBJECTS as ResourceType<Claim>;

/** Why the pod can't be bound yet, in the scheduler's words. */
async function problemOf({ client }: World, pod: Stored<Pod>): Promise<string | undefined> {
  const { namespace = '' } = pod.metadata;
  for (const name of claimsOf(pod)) {
    const claim = await client.get(CLAIMS, { namespace, name });
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
  }
}

const isWaiting = ({ metadata, spec }: Stored<Pod>): boolean => !spec.nodeName && !metadata.deletionTimestamp;

/** Says once why the pod waits. */
async function tell({ client, now }: World, { apiVersion, kind, metadata, status }: Stored<Pod>, message: string) {
  if (status?.conditions?.some((condition) => condition.message === message)) return;
  const { name, namespace = '', uid } = metadata;
  const lastTransitionTime = now().toISOString();
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
  const object = { apiVersion, kind, metadata: { name, namespace, uid }, status: { conditions: [condition] } };
  await client.applyStatus(PODS, object);
}

/** A claim that comes later, or goes, makes its pods be looked at again. */
async function schedule(world: World, node: string, ref: Ref): Promise<void> {
  const { client } = world;
  const pod = await client.get(PODS, ref);
  if (!pod || !isWaiting(pod)) return;
  const problem = await problemOf(world, pod);
  if (problem) return tell(world, pod, problem);
  const { name, namespace = '', uid } = pod.metadata;
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target };
  await client.request('POST', `${objectPath(PODS, ref)}/binding`, binding).catch((error) => {
    if (!isConflict(error)) throw error;
  });
}

async function bindClaim({ client }: World, { apiVersion, kind, metadata, spec, status }: Stored<Claim>) {
  if (metadata.deletionTimestamp || status?.phase === 'Bound') return;
  const { name, namespace = '', uid } = metadata;
  const bound = { phase: 'Bound', accessModes: spec.accessModes, capacity: spec.resources?.requests };
  await client.applyStatus(CLAIMS, { apiVersion, kind, metadata: { name, namespace, uid }, status: bound });
}

/** Runs until stopped. `node` is the one node's name. */
export function startScheduler(world: World, node: string): Part {
  const waiting = new Map<string, Stored<Pod>>();
  const podChanged = (pod: Stored<Pod>, type: string) => {
    waiting.delete(pod.metadata.uid);
    if (type !== 'DELETED' && isWaiting(pod)) waiting.set(pod.metadata.uid, pod);
  };
  return startController(
    world,
    (ref) => schedule(world, node, ref),
    (signal, add) => [
      follow(world, PODS, {
        signal,
        changed: (pod, type) => {
          podChanged(pod, type);
          if (waiting.has(pod.metadata.uid)) add(pod.metadata);
        },
      }),
      follow(world, CLAIMS, {
        signal,
        changed: async (claim, type) => {
          const users = [...waiting.values()].filter((pod) => claimsOf(pod).includes(claim.metadata.name));
          for (const pod of users) add(pod.metadata);
          if (type !== 'DELETED') await bindClaim(world, claim);
        },
      }),
    ],
  );
}

/** The client as the node sees the cluster: only the pods that are bound to it. */
export const asNode = (client: Client, node: string): Client => ({
  ...client,
  watch: (type, options: WatchOptions) =>
    client.watch(type, type.plural === PODS.plural ? { ...options, fieldSelector: `spec.nodeName=${node}` } : options),
});
