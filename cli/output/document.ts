/** Objects for machines: JSON and YAML as kubectl prints them, without `managedFields`; lists as `v1` List. */
import type { KubeObject } from '../../lib/api/meta.ts';

export type Format = 'json' | 'yaml' | 'wide' | 'name';

const withoutManagedFields = <T>(object: T): T => {
  const metadata = (object as { metadata?: Record<string, unknown> }).metadata;
  if (!metadata || !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
};

/** `kind.group/name` in lower case, as `kubectl -o name` says it. */
export function objectName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name}`;
}

/** Several objects as one `List`. */
export const makeList = (items: readonly object[]) => ({
  apiVersion: 'v1',
  items: items.map(withoutManagedFields),
  kind: 'List',
  metadata: { resourceVersion: '' },
});

/** One object as text in `format`. JSON escapes every control character itself; so does YAML's quoting. */
export async function document(object: object, format: 'json' | 'yaml'): Promise<string> {
  const clean = withoutManagedFields(object);
  if (format === 'json') return `${JSON.stringify(clean, null, 4)}\n`;
  const { stringify } = await import('yaml');
  return stringify(clean, { aliasDuplicateObjects: false, lineWidth: 0 });
}
