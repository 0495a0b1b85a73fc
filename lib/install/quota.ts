/** The limit of a project: how many Sessions there may be. The API server counts them at admission. Pure. */
import type { KubeObject } from '../api/meta.ts';

/** What it counts: `count/<resource>.<group>` (Kubernetes, ResourceQuota). */
export const SESSION_COUNT = 'count/sessions.tiny.dev';

export const makeQuota = (namespace: string, sessions: number): KubeObject & { spec: object } => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'tiny', namespace, labels: { 'app.kubernetes.io/part-of': 'tiny' } },
  spec: { hard: { [SESSION_COUNT]: String(sessions) } },
});
