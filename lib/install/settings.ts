/** A project's settings as they are before anyone has set anything, with all that may be set in words. Pure. */
import type { KubeObject, Person } from '../api/meta.ts';
import { settingsOf } from '../api/settings-ref.ts';
import { ABOUT } from '../settings/about.ts';

/** As rbac/policies/stamp/settings.yaml writes it: where nobody stamps, whoever changes the settings says so. */
export function changedBy({ username, uid, groups, extra = {} }: Person): string {
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
    ...settingsOf(namespace),
    labels: { 'app.kubernetes.io/part-of': 'tiny' },
    ...(person && { annotations: { 'tiny.dev/changed-by': changedBy(person) } }),
  },
  data: { 'about.txt': ABOUT },
});
