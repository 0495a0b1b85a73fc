/**
 * A cross-field rule of a resource, said twice: in CEL, for the API server, and as a predicate, for clients that
 * refuse early and for the local stand-in. A contract test holds the two to the same answers.
 */

/** `old` is the value before the change; it is absent at creation, where a rule on the change holds. */
export interface Rule<T> {
  /** As in `x-kubernetes-validations`; a rule that names `oldSelf` is asked only at a change. */
  cel: string;
  /** Says what to do. */
  message: string;
  holds: (self: T, old?: T) => boolean;
  /** Ask the CEL rule at creation too; `oldSelf` is then an optional. */
  optionalOldSelf?: boolean;
}

/** Rules for the value at a dotted path of the object; `''` is the object itself. */
export interface RulesAt {
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: rules of different value types stand in one list
  rules: Rule<any>[];
}

/** Whether `text` is a DNS-1123 label, its length aside. */
export const isDnsLabel = (text: string): boolean => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text);

/** One rule that an object breaks. */
export interface Violation {
  path: string;
  message: string;
}

const at = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .filter(Boolean)
    .reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], object);

/** The rules that `object` breaks, given what it was before, if it was. */
export function violations(table: readonly RulesAt[], object: unknown, old?: unknown): Violation[] {
  return table.flatMap(({ path, rules }) => {
    const self = at(object, path);
    if (self === undefined) return [];
    const before = at(old, path);
    return rules.filter((rule) => !rule.holds(self, before)).map(({ message }) => ({ path, message }));
  });
}
