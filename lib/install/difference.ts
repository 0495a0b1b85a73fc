/** Which fields of an object an apply would change. Pure. */

type Json = Record<string, unknown>;

/** What the server writes by itself at every change. */
const SERVERS = new Set(['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'uid']);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function paths(before: unknown, after: unknown, path: string): string[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => paths(before[key], after[key], path ? `${path}.${key}` : key));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((one, index) => paths(one, after[index], `${path}[${index}]`));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
}

const withoutServers = ({ status: _, metadata, ...rest }: Json): Json => ({
  ...rest,
  metadata: Object.fromEntries(Object.entries((metadata ?? {}) as Json).filter(([key]) => !SERVERS.has(key))),
});

/** Paths such as `spec.delivery.retry` and `rules[0].verbs`; status, and what the server counts, aside. */
export const changedFields = (before: object, after: object): string[] =>
  paths(withoutServers(before as Json), withoutServers(after as Json), '');
