/**
 * What applying would do, asked of the server itself: it fills in defaults, runs the admission policies and checks
 * rights, and writes nothing.
 */
import type { KubeObject } from '../api/meta.ts';
import { type ApiError, isForbidden, isNotFound } from '../kube/errors.ts';
import type { Client } from '../kube/types.ts';
import { placed, resourceTypeOf } from './apply.ts';
import { changedFields } from './difference.ts';

export interface Preview {
  /** As it would be; where the server can't tell yet, as it would be sent. */
  object: KubeObject;
  action: 'create' | 'change' | 'unchanged' | 'refused';
  /** What would change. */
  fields: string[];
  /** Why it is refused: a right is missing. */
  refusal?: ApiError;
  /** Why the server could not tell. */
  absent?: ApiError;
}

/** Its kind, or its namespace, comes with the same installation. */
const comesLater = isNotFound;
const isAboutNamespace = (error: unknown): boolean => isNotFound(error) && error.status.details?.kind === 'namespaces';

const orAbsent = async (read: Promise<KubeObject | undefined>): Promise<KubeObject | undefined> =>
  read.catch((error: unknown) => {
    // Whoever may not read it may still be allowed to write it: the dry run tells.
    if (comesLater(error) || isForbidden(error)) return undefined;
    throw error;
  });

/** What the dry run made of an object that is there as `live`, or is not there. */
function compared(live: KubeObject | undefined, next: KubeObject): Preview {
  if (!live) return { object: next, action: 'create', fields: [] };
  const fields = changedFields(live, next);
  return { object: next, action: fields.length ? 'change' : 'unchanged', fields };
}

function untold(object: KubeObject, error: unknown): Preview {
  if (comesLater(error)) return { object, action: 'create', fields: [], absent: error };
  if (isForbidden(error)) return { object, action: 'refused', fields: [], refusal: error };
  throw error;
}

async function previewOne(client: Client, object: KubeObject): Promise<Preview> {
  const type = resourceTypeOf(object);
  const live = await orAbsent(client.get(type, object.metadata));
  return client.apply(type, object, { dryRun: true }).then(
    (next) => compared(live, next),
    (error: unknown) => untold(object, error),
  );
}

/**
 * For each object, in order. `namespace` is that of objects that name none.
 *
 * @throws ApiError where an object's namespace is neither there nor among `objects`.
 */
export async function preview(client: Client, objects: readonly KubeObject[], namespace?: string): Promise<Preview[]> {
  const made = new Set(objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name));
  const previews: Preview[] = [];
  for (const object of objects.map((one) => placed(one, namespace))) {
    const seen = await previewOne(client, object);
    if (isAboutNamespace(seen.absent) && !made.has(object.metadata.namespace ?? '')) throw seen.absent;
    previews.push(seen);
  }
  return previews;
}
