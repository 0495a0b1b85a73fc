/** A project's settings as they are before anyone has set anything, with all that may be set in words. Pure. */
import type { KubeObject, Person } from '../api/meta.ts';

export const SETTINGS = 'tiny-settings';

/** The policies look for a key, so a default that stood there as a key would be a setting. */
const ABOUT = `# Settings of this project. A key that is not there leaves everything open.
# Add keys beside this one: kubectl edit configmap ${SETTINGS}
# It takes the right to update settings.tiny.dev, which ClusterRole tiny-admin (and admin) gives.
#
# Who may answer Questions, one name a line. Default: everyone whom RBAC lets update Questions.
#   answerers.users: |
#     alice
#   answerers.groups: |
#     reviewers
# Whether the answer must come from another person than who asked for the Session. Default: "false".
#   answerers.notRequester: "true"
# Images that Sessions may name, one prefix a line. Default: any.
#   images.allowed: |
#     registry.example/agents
# Repositories that Sessions may clone, one prefix a line. Default: any.
#   repositories.allowed: |
#     https://git.example/team
# Whether an agent's child may have Secrets, or an image, that its parent has not. Default: "false".
#   spawn.allowSecrets: "true"
#   spawn.allowImages: "true"
# Kinds that agents may propose to have applied, and where, one a line. Default: these kinds, in this namespace alone.
#   apply.kinds: |
#     ConfigMap
#     Service
#     HorizontalPodAutoscaler.autoscaling
#     PodDisruptionBudget.policy
#   apply.namespaces: |
#     team-a
`;

/** As rbac/policies/stamp/settings.yaml writes it: where nobody stamps, whoever changes the settings says so. */
function changedBy({ username, uid, groups, extra = {} }: Person): string {
  const keys = Object.keys(extra).sort();
  return JSON.stringify({
    username,
    ...(uid && { uid }),
    ...(groups?.length && { groups }),
    ...(keys.length && { extra: Object.fromEntries(keys.map((key) => [key, extra[key]])) }),
  });
}

/** The ConfigMap of `namespace`, made by `person`. */
export const makeSettings = (namespace: string, person: Person | undefined): KubeObject & { data: object } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: SETTINGS,
    namespace,
    labels: { 'app.kubernetes.io/part-of': 'tiny' },
    ...(person && { annotations: { 'tiny.dev/changed-by': changedBy(person) } }),
  },
  data: { 'about.txt': ABOUT },
});
