/** What a project is made of, as fits the cluster and what is there already. */
import { join } from 'node:path';
import type { KubeObject, Person } from '../../lib/api/meta.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { detectFeatures } from '../../lib/install/features.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { makeSettings, SETTINGS } from '../../lib/install/settings.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import type { Client, Ref } from '../../lib/kube/types.ts';
import { ROOT } from './plan.ts';

export interface ProjectWish {
  namespace: string;
  person: Person | undefined;
  maxSessions?: number;
  minimal?: boolean;
}

interface ProjectPlan {
  objects: KubeObject[];
  notes: string[];
}

const LEVEL = 'pod-security.kubernetes.io/enforce';
const PART_OF = { 'app.kubernetes.io/part-of': 'tiny' };

const core = (kind: string, metadata: KubeObject['metadata'], rest: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { ...metadata, labels: { ...PART_OF, ...metadata.labels } },
    ...rest,
  }) as KubeObject;

export const makeQuota = (namespace: string, sessions: number): KubeObject =>
  core(
    'ResourceQuota',
    { name: 'tiny', namespace },
    { spec: { hard: { 'count/sessions.tiny.dev': String(sessions) } } },
  );

/** The namespace with its labels; `level` is the Pod Security level that it has. */
export function makeNamespace(name: string, level: string | undefined): ProjectPlan {
  const own = level === undefined || level === 'restricted';
  const object = core('Namespace', { name, labels: own ? { [LEVEL]: 'restricted' } : {} });
  const note = `Namespace ${name} has the Pod Security level "${level}", which stays; Sessions need no more than "restricted".`;
  return { objects: [object], notes: own ? [] : [note] };
}

/** The object; `undefined` where it is not there, or may not be read. */
const look = (client: Client, object: KubeObject): Promise<KubeObject | undefined | 'forbidden'> =>
  client.get(resourceTypeOf(object), object.metadata as Ref).catch((error: unknown) => {
    if (isForbidden(error)) return 'forbidden' as const;
    throw error;
  });

/** Whoever may not read namespaces is taken to have this one. */
async function namespaceOf(client: Client, name: string): Promise<ProjectPlan> {
  const live = await look(client, core('Namespace', { name }));
  if (live === 'forbidden')
    return {
      objects: [],
      notes: [
        `You may not look at namespace ${name}: its labels stay (kubectl label namespace ${name} ${LEVEL}=restricted).`,
      ],
    };
  return makeNamespace(name, live?.metadata.labels?.[LEVEL]);
}

/** How functions act in a project, where there are functions. */
const ACTS = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'tiny-function-session-acts' },
};

async function bindings(client: Client, minimal: boolean): Promise<ProjectPlan> {
  const agent = readManifests(join(ROOT, 'rbac/project/agent.yaml'));
  if (minimal) return { objects: agent, notes: [] };
  const functions = readManifests(join(ROOT, 'rbac/project/functions.yaml'));
  if (await look(client, ACTS)) return { objects: [...agent, ...functions], notes: [] };
  const note =
    'The cluster has no functions of tiny (no ClusterRole tiny-function-session-acts): `tiny` acts directly here.';
  return { objects: agent, notes: [note] };
}

/** Without policies nothing would hold anyone to settings. */
async function settings(client: Client, { namespace, person, minimal }: ProjectWish): Promise<KubeObject[]> {
  if (minimal) return [];
  const live = await look(client, core('ConfigMap', { name: SETTINGS, namespace }));
  return live === undefined ? [makeSettings(namespace, person)] : [];
}

/** What is to be applied for a project; settings that are there are left as they are. */
export async function planProject(client: Client, wish: ProjectWish): Promise<ProjectPlan> {
  const { namespace, maxSessions, minimal = false } = wish;
  const [{ openshift }, made, bound, set] = await Promise.all([
    detectFeatures(client),
    namespaceOf(client, namespace),
    bindings(client, minimal),
    settings(client, wish),
  ]);
  const constraint = openshift ? readManifests(join(ROOT, 'rbac/openshift/project')) : [];
  const quota = maxSessions === undefined ? [] : [makeQuota(namespace, maxSessions)];
  return {
    objects: [...made.objects, ...bound.objects, ...constraint, ...set, ...quota],
    notes: [...made.notes, ...bound.notes],
  };
}
