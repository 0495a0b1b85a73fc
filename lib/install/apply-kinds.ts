/**
 * The role that says which kinds function question may apply in people's names. It is a cluster administrator's to
 * give: without it every yes to a proposal is refused, whatever a project's settings allow. Pure.
 */
import type { KubeObject } from '../api/meta.ts';

/** A kind as the API server names it in rules. */
export interface Applied {
  group: string;
  plural: string;
}

const VERBS = ['get', 'patch'].flatMap((verb) => [
  `impersonate-on:user-info:${verb}`,
  `impersonate-on:serviceaccount:${verb}`,
]);

/** What is read and applied; apply makes what is not there, too. */
export const makeApplyKinds = (kinds: readonly Applied[]): KubeObject =>
  ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'tiny-apply-kinds',
      labels: { 'app.kubernetes.io/part-of': 'tiny', 'tiny.dev/aggregate-to-question-applies': 'true' },
    },
    rules: [...Map.groupBy(kinds, ({ group }) => group)].map(([group, all]) => ({
      apiGroups: [group],
      resources: [...new Set(all.map(({ plural }) => plural))].sort(),
      verbs: VERBS,
    })),
  }) as KubeObject;
