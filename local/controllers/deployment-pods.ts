/**
 * Which pods a Deployment is to have, and what it reports: pure. There are no ReplicaSets in the stand-in: a pod
 * belongs to its Deployment itself, and every strategy is run as Recreate, because that is the one tiny uses.
 */
import { createHash } from 'node:crypto';
import type { V1DeploymentSpec, V1PodSpec } from '@kubernetes/client-node';
import { isTrue, transition } from '../../lib/api/conditions.ts';
import type { Condition, KubeObject, ObjectMeta, Stored } from '../../lib/api/meta.ts';
import { DEPLOYMENTS as OBJECTS, type ResourceType } from '../../lib/kube/types.ts';
import type { Pod } from '../node/pod.ts';

/** As `kubectl wait` and `kubectl rollout status` read it. */
interface DeploymentStatus {
  observedGeneration: number;
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
  unavailableReplicas: number;
  conditions: Condition[];
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

const isCurrent = (deployment: Deployment, pod: Pod): boolean =>
  pod.metadata.labels?.[HASH_LABEL] === templateHash(deployment);

const isLive = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;

/** What to remove and how many to make. Nothing is made while any pod of the Deployment is still going away. */
export function planPods(deployment: Deployment, pods: Stored<Pod>[]): { remove: Stored<Pod>[]; create: number } {
  const live = pods.filter(isLive);
  const wanted = deployment.spec.replicas ?? 1;
  const kept = new Set(live.filter((pod) => isCurrent(deployment, pod)).slice(0, wanted));
  const remove = live.filter((pod) => !kept.has(pod));
  const isClear = live.length === pods.length && remove.length === 0;
  return { remove, create: isClear ? wanted - kept.size : 0 };
}

/** A new pod of the Deployment; `nodeName` binds it, since the stand-in has one node and no scheduler. */
export function makePod(deployment: Stored<Deployment>, random: () => number, nodeName: string): KubeObject {
  const { apiVersion, kind, metadata, spec } = deployment;
  const { name, namespace = '', uid } = metadata;
  const hash = templateHash(deployment);
  const suffix = Array.from({ length: 5 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-${hash}-${suffix}`,
      namespace,
      labels: { ...spec.template.metadata?.labels, [HASH_LABEL]: hash },
      annotations: { ...spec.template.metadata?.annotations },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: { ...spec.template.spec, nodeName },
  } as KubeObject;
}

/** `failure`: why a pod could not be made, in the API server's words. */
export function deploymentStatus(
  deployment: Stored<Deployment>,
  pods: Stored<Pod>[],
  { failure, now }: { failure: string | undefined; now: Date },
): DeploymentStatus {
  const wanted = deployment.spec.replicas ?? 1;
  const live = pods.filter(isLive);
  const ready = live.filter((pod) => isTrue(pod, 'Ready')).length;
  const told = (type: string, is: boolean, [reason, message]: [string, string]): Condition =>
    transition(deployment, { type, status: is ? 'True' : 'False', reason, message }, now);
  return {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas: live.length,
    updatedReplicas: live.filter((pod) => isCurrent(deployment, pod)).length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
    conditions: [
      ready >= wanted
        ? told('Available', true, ['MinimumReplicasAvailable', 'Deployment has minimum availability.'])
        : told('Available', false, ['MinimumReplicasUnavailable', 'Deployment does not have minimum availability.']),
      ...(failure === undefined ? [] : [told('ReplicaFailure', true, ['FailedCreate', failure])]),
    ],
  };
}
