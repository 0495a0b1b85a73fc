/** Where the API server serves a resource: URL paths and queries. Pure. */
import type { Ref, ResourceType } from './types.ts';

/** A segment that the server would read as another path, or that names nothing, is a bug of the caller. */
function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') throw new TypeError(`not a name: ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}

export const apiVersion = ({ group, version }: Pick<ResourceType, 'group' | 'version'>): string =>
  group ? `${group}/${version}` : version;

/** `sessions.tiny.dev`, `pods`: as `kubectl api-resources` and role rules name it. */
export const resourceName = ({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string =>
  group ? `${plural}.${group}` : plural;

/** All objects of a type, in one namespace or, without it, in all. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = `${type.group ? '/apis' : '/api'}/${apiVersion(type)}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}

/** @throws TypeError where a namespaced object's namespace is missing. */
export function objectPath(type: ResourceType, { namespace, name }: Ref, subresource?: string): string {
  if (type.namespaced && namespace === undefined) throw new TypeError(`${type.kind} ${name} needs a namespace`);
  return `${collectionPath(type, namespace)}/${segment(name)}${subresource ? `/${subresource}` : ''}`;
}

/** `?a=1&b=2` of what is defined; empty where nothing is. */
export function query(parameters: Record<string, string | number | boolean | undefined>): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return pairs.length ? `?${pairs.join('&')}` : '';
}
