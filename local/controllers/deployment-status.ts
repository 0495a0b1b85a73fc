/** What a Deployment reports, pure: the fields that `kubectl wait` and `kubectl rollout status` read. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Pod } from '../node/pod.ts';
import { type Told, withTimes } from './conditions.ts';
import { type Deployment, type DeploymentStatus, isCurrent, isReady, isTerminating } from './deployment-pods.ts';

const told = (type: string, is: boolean, [reason, message]: [string, string]): Told => ({
  type,
  status: is ? 'True' : 'False',
  reason,
  message,
});

/** `failure`: why a pod could not be made, in the API server's words. Progress has no deadline here. */
export function deploymentStatus(
  deployment: Stored<Deployment>,
  pods: Stored<Pod>[],
  { failure, now }: { failure: string | undefined; now: Date },
): DeploymentStatus {
  const wanted = deployment.spec.replicas ?? 1;
  const replicas = pods.filter((pod) => !isTerminating(pod));
  const updated = replicas.filter((pod) => isCurrent(deployment, pod)).length;
  const ready = replicas.filter(isReady).length;
  const complete = updated === wanted && ready === wanted && pods.length === wanted;
  const conditions = [
    ready >= wanted
      ? told('Available', true, ['MinimumReplicasAvailable', 'Deployment has minimum availability.'])
      : told('Available', false, ['MinimumReplicasUnavailable', 'Deployment does not have minimum availability.']),
    complete
      ? told('Progressing', true, ['NewReplicaSetAvailable', 'All pods of the template are up.'])
      : told('Progressing', failure === undefined, ['ReplicaSetUpdated', 'Pods are being replaced.']),
    ...(failure === undefined ? [] : [told('ReplicaFailure', true, ['FailedCreate', failure])]),
  ];
  return {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas: replicas.length,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
    conditions: withTimes(conditions, deployment.status?.conditions, now),
  };
}
