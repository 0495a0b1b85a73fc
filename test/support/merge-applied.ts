/** What a server-side apply makes of an object: maps are merged, conditions by their type, other lists replaced. */
type Fields = Record<string, unknown>;

export interface Merging {
  live: unknown;
  next: unknown;
  /** What the same manager applied last: what is in it and no longer in `next` goes. */
  before?: unknown;
  /** What other managers applied: that stays. */
  others: unknown[];
}

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isConditions = (value: unknown): value is Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isMap(item) && 'type' in item && 'status' in item);
const keyed = (list: unknown): Fields =>
  Object.fromEntries((isConditions(list) ? list : []).map((c) => [c['type'], c]));
const child = (of: unknown, key: string) => (isMap(of) ? of[key] : undefined);

/** Needs to know only maps and lists of conditions; what else is applied here has one writer. */
export function mergeApplied({ live, next, before, others }: Merging): unknown {
  if (isConditions(next)) {
    const lists = { live: keyed(live), next: keyed(next), before: keyed(before), others: others.map(keyed) };
    return Object.values(mergeApplied(lists) as Fields);
  }
  if (!isMap(next)) return next;
  const from = isMap(live) ? live : {};
  const gone = (key: string) =>
    !(key in next) && isMap(before) && key in before && !others.some((other) => isMap(other) && key in other);
  const merged = Object.entries(next).map(([key, value]): [string, unknown] => [
    key,
    mergeApplied({
      live: from[key],
      next: value,
      before: child(before, key),
      others: others.map((o) => child(o, key)),
    }),
  ]);
  return { ...Object.fromEntries(Object.entries(from).filter(([key]) => !gone(key))), ...Object.fromEntries(merged) };
}
