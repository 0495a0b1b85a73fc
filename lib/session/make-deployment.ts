/**
 * The workload of a Session: one pod at most, its tools as a native sidecar, its clone made before its agent starts, its
 * agent without any token. It is a Deployment because that starts again what ended, and strategy Recreate because two
 * pods must not share a volume.
 */
import type { V1DeploymentSpec, V1PodSpec } from '@kubernetes/client-node';
import { type KubeObject, LABEL, type Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { confined, POD_SECURITY } from './confine.ts';
import { agentContainer, cloneContainer, toolsContainer } from './make-containers.ts';
import { makeVolumes } from './make-volumes.ts';
import { childMeta, sessionLabels } from './names.ts';

export interface Deployment extends KubeObject {
  spec: V1DeploymentSpec;
}

export function makeDeployment(session: Stored<Session>, replicas: 0 | 1): Deployment {
  const labels = sessionLabels(session);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: childMeta(session),
    spec: {
      replicas,
      revisionHistoryLimit: 0,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { [LABEL.sessionUid]: session.metadata.uid } },
      template: { metadata: { labels }, spec: podSpec(session) },
    },
  };
}

const namesOf = (items: { name: string }[] = []): string[] => items.map(({ name }) => name);

/**
 * Containers and volumes of a live Deployment that `wanted` has not: an apply leaves them where they are, and they
 * would run beside the agent, on its volume, in the requester's name.
 */
export const foreignTo =
  ({ spec: wanted }: Deployment) =>
  (live: KubeObject): string | undefined => {
    const [own, theirs] = [wanted, (live as Deployment).spec].map((spec) => spec.template.spec);
    const more = (['containers', 'initContainers', 'volumes'] as const).flatMap((part) => {
      const known = namesOf(own?.[part]);
      const names = namesOf(theirs?.[part]).filter((name) => !known.includes(name));
      return names.length ? [`${part} ${names.join(', ')}`] : [];
    });
    return more.length ? more.join(' and ') : undefined;
  };

function podSpec(session: Stored<Session>): V1PodSpec {
  const { nodeSelector, tolerations, runtimeClassName } = session.spec;
  return {
    serviceAccountName: 'tiny-agent',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    securityContext: POD_SECURITY,
    initContainers: [toolsContainer(session), ...cloneContainer(session)].map(confined),
    containers: [confined(agentContainer(session))],
    volumes: makeVolumes(session),
    nodeSelector,
    tolerations,
    runtimeClassName,
  };
}
