/**
 * Which pods a Deployment is to have: pure. There are no ReplicaSets in the stand-in: a pod belongs to its
 * Deployment itself, and every strategy is run as Recreate, because that is the one tiny uses.
 */
import { createHash } from 'node:crypto';
import type { V1DeploymentSpec, V1PodSpec } from '@kubernetes/client-node';
import type { KubeObject, ObjectMeta, Stored } from '../../lib/api/meta.ts';
import { DEPLOYMENTS as OBJECTS, type ResourceType } from '../../lib/kube/types.ts';
import { isFinished, type Pod } from '../node/pod.ts';
import type { Told } from './conditions.ts';

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  conditions?: (Told & { lastTransitionTime: string })[];
}
export interface Deployment extends KubeObject {
  spec: Omit<V1DeploymentSpec, 'template'> & {
    template: { metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>; spec: V1PodSpec };
  };
  status?: DeploymentStatus;
}
export const DEPLOYMENTS = OBJECTS as ResourceType<Deployment>;

const HASH_LABEL = 'pod-template-hash';
/** The letters of Kubernetes' generated names: no vowels, so that no word is made. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

export const templateHash = ({ spec }: Deployment): string =>
  createHash('sha256').update(JSON.stringify(spec.template)).digest('hex').slice(0, 10);

export const isCurrent = (deployment: Deployment, pod: Pod): boolean =>
  pod.metadata.labels?.[HASH_LABEL] === templateHash(deployment) && !isFinished(pod);

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

export const isTerminating = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** What to remove and how many to make. Nothing is made while any pod of the Deployment is still going away. */
export function planPods(deployment: Deployment, pods: Stored<Pod>[]): { remove: Stored<Pod>[]; create: number } {
  const live = pods.filter((pod) => !isTerminating(pod));
  const current = live.filter((pod) => isCurrent(deployment, pod));
  const wanted = deployment.spec.replicas ?? 1;
  const kept = new Set(current.slice(0, wanted));
  const remove = live.filter((pod) => !kept.has(pod));
  const clear = live.length === pods.length && remove.length === 0;
  return { remove, create: clear ? wanted - kept.size : 0 };
}

/** A new pod of the Deployment; `nodeName` binds it, since the stand-in has one node and no scheduler. */
export function makePod(
  deployment: Stored<Deployment>,
  random: () => number,
  nodeName: string,
): Omit<Pod, 'metadata'> & KubeObject {
  const { apiVersion, kind, metadata, spec } = deployment;
  const hash = templateHash(deployment);
  const suffix = Array.from({ length: 5 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
  const owner = {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${metadata.name}-${hash}-${suffix}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...spec.template.metadata?.labels, [HASH_LABEL]: hash },
      annotations: { ...spec.template.metadata?.annotations },
      ownerReferences: [owner],
    },
    spec: { ...spec.template.spec, nodeName },
  };
}
