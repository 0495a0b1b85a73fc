/**
 * The Deployment controller: reads the Deployment and its pods as they are now, and takes one step. It remembers
 * nothing, so a restart converges.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Ref } from '../../lib/kube/types.ts';
import { PODS, type Pod } from '../node/pod.ts';
import { DEPLOYMENTS, type Deployment, isTerminating, makePod, planPods } from './deployment-pods.ts';
import { deploymentStatus } from './deployment-status.ts';
import { follow, type Part, startController, type World } from './loop.ts';

/** The one node's name. */
export const NODE_NAME = 'tiny-stand-in';

const controllerOf = ({ metadata }: Pod) => metadata.ownerReferences?.find(({ controller }) => controller);

/** The API server's refusal, or `undefined` where all were made. A connection that failed is thrown. */
async function createPods(world: World, deployment: Stored<Deployment>, count: number): Promise<ApiError | undefined> {
  try {
    for (let made = 0; made < count; made++)
      await world.client.create(PODS, makePod(deployment, world.random, NODE_NAME) as Pod);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

async function report(world: World, deployment: Stored<Deployment>, seen: Observed): Promise<void> {
  const { apiVersion, kind, metadata } = deployment;
  const { name, namespace = '', uid } = metadata;
  const status = deploymentStatus(deployment, seen.pods, { failure: seen.failure?.message, now: world.now() });
  if (isDeepStrictEqual(status, deployment.status)) return;
  await world.client.applyStatus(DEPLOYMENTS, { apiVersion, kind, metadata: { name, namespace, uid }, status });
}
interface Observed {
  pods: Stored<Pod>[];
  failure: ApiError | undefined;
}

async function reconcile(world: World, ref: Ref): Promise<void> {
  const { client } = world;
  const deployment = await client.get(DEPLOYMENTS, ref);
  if (!deployment || isTerminating(deployment)) return;
  const all = await client.list(PODS, { namespace: ref.namespace ?? '' });
  const pods = all.items.filter((pod) => controllerOf(pod)?.uid === deployment.metadata.uid);
  const { remove, create } = planPods(deployment, pods);
  for (const { metadata } of remove) await client.delete(PODS, metadata, { uid: metadata.uid });
  const failure = await createPods(world, deployment, create);
  await report(world, deployment, { pods, failure });
  if (failure) throw failure;
}

/** Runs until stopped. The pods that it makes are made as the client's identity. */
export const startDeployments = (world: World): Part =>
  startController(
    world,
    (ref) => reconcile(world, ref),
    (signal, add) => [
      follow(world, DEPLOYMENTS, { signal, changed: ({ metadata }) => add(metadata) }),
      follow(world, PODS, {
        signal,
        changed: (pod) => {
          const owner = controllerOf(pod);
          if (owner?.kind === 'Deployment') add({ ...pod.metadata, name: owner.name });
        },
      }),
    ],
  );
