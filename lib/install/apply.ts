/** Applies manifests server-side, as whoever the client is. */
import type { KubeObject } from '../api/meta.ts';
import { isNotFound } from '../kube/errors.ts';
import type { Client, ResourceType } from '../kube/types.ts';

const CLUSTER_SCOPED = new Set([
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/** Where an object is served, by the plural that English and Kubernetes agree on for the kinds applied here. */
export function resourceTypeOf({ apiVersion, kind }: KubeObject): ResourceType {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const plural = `${kind.toLowerCase().replace(/y$/, 'ie')}s`;
  return { group, version, kind, plural, namespaced: !CLUSTER_SCOPED.has(kind) };
}

/**
 * Applies each object in turn. `namespace` is that of objects that name none.
 *
 * A kind whose definition was applied a moment ago may not be served yet: such an object is tried again for
 * `patience` milliseconds.
 */
export async function applyAll(
  client: Client,
  objects: readonly KubeObject[],
  {
    namespace,
    wait,
    patience = 30_000,
  }: { namespace?: string; wait: (ms: number) => Promise<unknown>; patience?: number },
): Promise<void> {
  for (const object of objects) {
    const type = resourceTypeOf(object);
    await served(() => client.apply(type, placed(object, namespace)), { wait, patience });
  }
}

/** The object in `namespace`, where it belongs in one and names none. */
export function placed(object: KubeObject, namespace: string | undefined): KubeObject {
  const { namespaced } = resourceTypeOf(object);
  const metadata = namespaced && namespace ? { namespace, ...object.metadata } : object.metadata;
  return withNamespace({ ...object, metadata }, namespace);
}

/** A binding's subjects that name no namespace are in the binding's own, as kustomize has it. */
function withNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  const { subjects } = object as KubeObject & { subjects?: { kind: string; namespace?: string }[] };
  if (!subjects || !namespace) return object;
  return {
    ...object,
    subjects: subjects.map((one) => (one.kind === 'ServiceAccount' ? { namespace, ...one } : one)),
  } as KubeObject;
}

async function served(
  work: () => Promise<unknown>,
  { wait, patience }: { wait: (ms: number) => Promise<unknown>; patience: number },
): Promise<void> {
  for (let waited = 0; ; waited += 100) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isNotFound(error) || waited >= patience) throw error;
      await wait(100);
    }
  }
}
