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

/** What JSON may hold as it is, and a terminal obeys: C1 controls, and marks that reorder or hide text. */
const RAW = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const ALL_RAW = new RegExp(RAW, 'g');
const escaped = (text: string): string =>
  text.replace(ALL_RAW, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** One object as text in `format`; what a terminal would obey is escaped, so that it reads back as the same. */
export async function document(object: object, format: 'json' | 'yaml'): Promise<string> {
  const clean = withoutManagedFields(object);
  if (format === 'json') return escaped(`${JSON.stringify(clean, null, 4)}\n`);
  const { Document, visit } = await import('yaml');
  const yaml = new Document(clean, { aliasDuplicateObjects: false });
  visit(yaml, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && RAW.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(yaml.toString({ lineWidth: 0 }));
}
