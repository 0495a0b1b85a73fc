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

/**
 * Rules for the value at a dotted path of the object; `''` is the object itself, and a path that ends in `[key]` is
 * each item of a list-map, compared with the item that had the same key before.
 */
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

type Fields = Record<string, unknown>;

const at = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .filter(Boolean)
    .reduce((value: unknown, key) => (value as Fields | undefined)?.[key], object);

/** The values that rules at `path` judge, each with what it was before. */
function judged(path: string, object: unknown, old: unknown): { self: unknown; before: unknown }[] {
  const [, list, key] = /^(.*)\[(.+)\]$/.exec(path) ?? [];
  if (list === undefined || key === undefined) {
    const self = at(object, path);
    return self === undefined ? [] : [{ self, before: at(old, path) }];
  }
  const earlier = (at(old, list) ?? []) as Fields[];
  return ((at(object, list) ?? []) as Fields[]).map((self) => ({
    self,
    before: earlier.find((item) => item[key] === self[key]),
  }));
}

/** The rules that `object` breaks, given what it was before, if it was. */
export function violations(table: readonly RulesAt[], object: unknown, old?: unknown): Violation[] {
  return table.flatMap(({ path, rules }) =>
    judged(path, object, old).flatMap(({ self, before }) =>
      rules.filter((rule) => !rule.holds(self, before)).map(({ message }) => ({ path, message })),
    ),
  );
}
