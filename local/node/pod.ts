/** A Pod as the stand-in reads and reports it. The types of `spec` are Kubernetes' own; dates stay strings. */
import type { V1PodSpec } from '@kubernetes/client-node';
import type { Condition, KubeObject, ObjectMeta } from '../../lib/api/meta.ts';
import { PODS as OBJECTS, type ResourceType, SECRETS as SECRET_OBJECTS } from '../../lib/kube/types.ts';

interface Terminated {
  exitCode: number;
  signal?: number;
  reason: string;
  message?: string;
  startedAt: string;
  finishedAt?: string;
}
export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: Terminated;
}
export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
}
export interface PodStatus {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  startTime: string;
  hostIP: string;
  podIP: string;
  conditions: Condition[];
  containerStatuses: ContainerStatus[];
  initContainerStatuses: ContainerStatus[];
}
export interface Pod extends KubeObject {
  metadata: ObjectMeta & { uid: string; deletionGracePeriodSeconds?: number };
  spec: V1PodSpec;
  status?: PodStatus;
}
/** A Secret or ConfigMap, as far as it becomes files or environment. */
export interface Data extends KubeObject {
  data?: Record<string, string>;
}

export const PODS = OBJECTS as ResourceType<Pod>;
export const SECRETS = SECRET_OBJECTS as ResourceType<Data>;
export const CONFIG_MAPS: ResourceType<Data> = { ...SECRETS, kind: 'ConfigMap', plural: 'configmaps' };

/** The claims that the pod mounts, by name. */
export const claimsOf = ({ spec }: Pod): string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []));

/** Whether all that was to run has ended, and nothing is started again. */
export const isOver = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

export const statusesOf = ({ status }: Pod): ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];
