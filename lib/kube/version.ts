/** Writing on exactly the object that was read, and trying again where another has written meanwhile. */
import type { KubeObject, Stored } from '../api/meta.ts';
import { isConflict } from './errors.ts';

/** The object's identity and version, as a status is applied on it; another version is a conflict. */
export function versionOf({ apiVersion, kind, metadata }: Stored<KubeObject>): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, ...(namespace && { namespace }) } };
}

/** Does `work`, which reads anew what it writes, until it meets no conflict, `attempts` times at most. Throws what it throws. */
export async function despiteConflicts<T>(
  attempts: number,
  work: () => Promise<T>,
  passes: (error: unknown) => boolean = isConflict,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!passes(error) || attempt >= attempts) throw error;
    }
  }
}
