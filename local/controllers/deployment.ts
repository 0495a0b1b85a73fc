/**
 * The Deployment controller: reads the Deployment and its pods as they are now, and takes one step. It remembers
 * nothing, so a restart converges.
 */
import type { Stored } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Ref } from '../../lib/kube/types.ts';
import { PODS, type Pod } from '../node/pod.ts';
import { DEPLOYMENTS, type Deployment, deploymentStatus, makePod, planPods } from './deployment-pods.ts';
import { follow, type Part, startController, type World } from './loop.ts';
import { setStatus } from './status.ts';

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

async function reconcile(world: World, ref: Ref): Promise<void> {
  const { client, now } = world;
  const deployment = await client.get(DEPLOYMENTS, ref);
  if (!deployment || deployment.metadata.deletionTimestamp) return;
  const all = await client.list(PODS, { namespace: ref.namespace ?? '' });
  const pods = all.items.filter((pod) => controllerOf(pod)?.uid === deployment.metadata.uid);
  const { remove, create } = planPods(deployment, pods);
  for (const { metadata } of remove) await client.delete(PODS, metadata, { uid: metadata.uid });
  const failure = await createPods(world, deployment, create);
  const status = deploymentStatus(deployment, pods, { failure: failure?.message, now: now() });
  await setStatus(world, DEPLOYMENTS, { object: deployment, status });
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
