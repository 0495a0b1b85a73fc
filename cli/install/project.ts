/** What a project is made of, as fits the cluster and what is there already. */
import { join } from 'node:path';
import type { KubeObject, Person } from '../../lib/api/meta.ts';
import { settingsOf } from '../../lib/api/settings-ref.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { detectFeatures } from '../../lib/install/features.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { makeQuota } from '../../lib/install/quota.ts';
import { makeSettings } from '../../lib/install/settings.ts';
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

/** The namespace with its labels; `level` is the Pod Security level that it has. */
function makeNamespace(name: string, level: string | undefined): ProjectPlan {
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

const unlabelled = (name: string, may: string): ProjectPlan => ({
  objects: [],
  notes: [
    `You may not ${may} namespace ${name}: its labels stay. Whoever may: kubectl label namespace ${name} ${LEVEL}=restricted`,
  ],
});

/** Whether the server would take it. Throws what is no matter of rights. */
const mayApply = (client: Client, object: KubeObject): Promise<boolean> =>
  client.apply(resourceTypeOf(object), object, { dryRun: true }).then(
    () => true,
    (error: unknown) => {
      if (isForbidden(error)) return false;
      throw error;
    },
  );

/** Whoever may not read namespaces is taken to have this one; whoever may not label theirs goes without. */
async function namespaceOf(client: Client, name: string): Promise<ProjectPlan> {
  const live = await look(client, core('Namespace', { name }));
  if (live === 'forbidden') return unlabelled(name, 'look at');
  const level = live?.metadata.labels?.[LEVEL];
  const made = makeNamespace(name, level);
  const [object] = made.objects;
  if (!live || !object || (await mayApply(client, object))) return made;
  return level ? { objects: [], notes: made.notes } : unlabelled(name, 'label');
}

/** How functions act in a project, where there are functions. */
const ACTS = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'tiny-function-session-acts' },
};

/** The agents' account with its rights, and the functions', where the cluster has roles of tiny. */
async function bindings(client: Client, minimal: boolean): Promise<ProjectPlan> {
  const alone = () => readManifests(join(ROOT, 'rbac/minimal'));
  if (minimal) return { objects: alone(), notes: [] };
  if (await look(client, ACTS)) return { objects: readManifests(join(ROOT, 'rbac/project')), notes: [] };
  const note =
    'The cluster has no functions of tiny (no ClusterRole tiny-function-session-acts): `tiny` acts directly here.';
  return { objects: alone(), notes: [note] };
}

/** Without policies nothing would hold anyone to settings. */
async function settings(
  client: Client,
  { namespace, person, minimal, maxSessions }: ProjectWish,
): Promise<KubeObject[]> {
  if (minimal) return [];
  const live = await look(client, core('ConfigMap', settingsOf(namespace)));
  if (live !== undefined) return [];
  const made = makeSettings(namespace, person);
  const limit = maxSessions === undefined ? {} : { 'limits.maxSessions': String(maxSessions) };
  return [{ ...made, data: { ...made.data, ...limit } } as KubeObject];
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
