/** Objects for machines: JSON and YAML as kubectl prints them, without `managedFields`; lists as `v1` List. */
import type { KubeObject } from '../../lib/api/meta.ts';
import { markHidden } from './safe.ts';

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

const inHex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
/** A character as both JSON and YAML escape it; only JSON has pairs, and only YAML has `\\U`. */
const escapes = {
  json: (char: string) =>
    Array.from({ length: char.length }, (_, index) => `\\u${inHex(char.charCodeAt(index), 4)}`).join(''),
  yaml: (char: string) =>
    char.length > 1 ? `\\U${inHex(char.codePointAt(0) ?? 0, 8)}` : `\\u${inHex(char.charCodeAt(0), 4)}`,
};
const isHarmless = (text: string): boolean => markHidden(text, () => '') === text;

/** One object as text in `format`; what a terminal would obey is escaped, so that it reads back as the same. */
export async function document(object: object, format: 'json' | 'yaml'): Promise<string> {
  const clean = withoutManagedFields(object);
  if (format === 'json') return markHidden(`${JSON.stringify(clean, null, 4)}\n`, escapes.json);
  const { Document, visit } = await import('yaml');
  const yaml = new Document(clean, { aliasDuplicateObjects: false });
  visit(yaml, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && !isHarmless(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return markHidden(yaml.toString({ lineWidth: 0 }), escapes.yaml);
}
