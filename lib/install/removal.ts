/**
 * What an installation leaves behind in a cluster, and in which order it goes: first what wakes functions, then the
 * functions, then every right, so that nothing acts while the policies go. Found by label, whatever the flags were that it
 * was installed with.
 */
import type { KubeObject, Stored } from '../api/meta.ts';
import { isNotFound } from '../kube/errors.ts';
import { objectPath } from '../kube/path.ts';
import type { Client } from '../kube/types.ts';
import { resourceTypeOf } from './apply.ts';

const LABEL = 'app.kubernetes.io/part-of=tiny';
/** Where functions live. Namespaces of projects have the label, too, and stay. */
const SYSTEM = 'tiny-system';
const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';

export interface Part {
  name: string;
  /** `apiVersion` and `kind`, in the order in which they go. */
  kinds: readonly (readonly [apiVersion: string, kind: string])[];
}

const BEFORE: readonly Part[] = [
  {
    name: 'Eventing',
    kinds: [
      ['eventing.knative.dev/v1', 'Trigger'],
      ['sources.knative.dev/v1', 'ApiServerSource'],
      ['sources.knative.dev/v1', 'PingSource'],
      ['eventing.knative.dev/v1', 'Broker'],
    ],
  },
  { name: 'Functions', kinds: [['serving.knative.dev/v1', 'Service']] },
  {
    name: 'Rights',
    kinds: [
      [RBAC, 'ClusterRoleBinding'],
      [RBAC, 'RoleBinding'],
      [RBAC, 'ClusterRole'],
      [RBAC, 'Role'],
      ['v1', 'ServiceAccount'],
    ],
  },
];
/** With them go all Sessions and Questions: only when asked. */
const RESOURCES: Part = { name: 'Resources', kinds: [['apiextensions.k8s.io/v1', 'CustomResourceDefinition']] };
const AFTER: readonly Part[] = [
  {
    name: 'Admission policies',
    kinds: [
      [ADMISSION, 'MutatingAdmissionPolicyBinding'],
      [ADMISSION, 'ValidatingAdmissionPolicyBinding'],
      [ADMISSION, 'MutatingAdmissionPolicy'],
      [ADMISSION, 'ValidatingAdmissionPolicy'],
    ],
  },
  { name: 'Namespace', kinds: [['v1', 'Namespace']] },
];

export const parts = (withResources: boolean): readonly Part[] => [
  ...BEFORE,
  ...(withResources ? [RESOURCES] : []),
  ...AFTER,
];

export interface Found {
  part: string;
  objects: Stored<KubeObject>[];
}

/** Of what has the label, what an installation or `tiny init` made: a project may hold Knative objects of its own. */
function isOurs({ apiVersion, kind, metadata }: KubeObject): boolean {
  if (kind === 'Namespace') return metadata.name === SYSTEM;
  return !apiVersion.includes('.knative.dev/') || metadata.namespace === SYSTEM;
}

/** Objects of a kind; none where the cluster has no such kind. */
async function labelled(client: Client, [apiVersion, kind]: Part['kinds'][number]): Promise<Stored<KubeObject>[]> {
  const type = resourceTypeOf({ apiVersion, kind, metadata: { name: '' } });
  const { items } = await client.list(type, { labelSelector: LABEL }).catch((error: unknown) => {
    if (isNotFound(error)) return { items: [] };
    throw error;
  });
  return items.map((item) => ({ ...item, apiVersion, kind })).filter(isOurs);
}

/** Reads the cluster. Throws `ApiError` where the person may not. */
export async function findInstallation(client: Client, withResources: boolean): Promise<Found[]> {
  const found = await Promise.all(
    parts(withResources).map(async ({ name, kinds }) => ({
      part: name,
      objects: (await Promise.all(kinds.map((one) => labelled(client, one)))).flat(),
    })),
  );
  return found.filter(({ objects }) => objects.length > 0);
}

/** What the server says to its removal, without removing it. */
export async function tryRemoval(client: Client, object: KubeObject): Promise<void> {
  const path = objectPath(resourceTypeOf(object), object.metadata);
  await client.request('DELETE', `${path}?dryRun=All`).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Removes just this object, not one that has taken its name since. */
export const removeObject = (client: Client, object: Stored<KubeObject>): Promise<void> =>
  client.delete(resourceTypeOf(object), object.metadata, { uid: object.metadata.uid });

const STEP_MS = 250;

/** Which of the objects are still there when patience ends: what has finalizers goes a while after it was removed. */
export async function untilGone(
  client: Client,
  objects: readonly Stored<KubeObject>[],
  { wait, limit }: { wait: (ms: number) => Promise<unknown>; limit: number },
): Promise<Stored<KubeObject>[]> {
  for (let waited = 0; ; waited += STEP_MS) {
    const live = await Promise.all(objects.map((one) => client.get(resourceTypeOf(one), one.metadata)));
    const left = objects.filter(({ metadata }, index) => live[index]?.metadata.uid === metadata.uid);
    if (!left.length || waited >= limit) return left;
    await wait(STEP_MS);
  }
}
