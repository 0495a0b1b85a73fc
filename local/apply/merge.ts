/**
 * Merging into an object, in the three ways of Kubernetes by one walk: a merge patch (RFC 7386) knows no list's items,
 * a configuration of server-side apply and a strategic merge patch know them by keys, and the last may say with
 * directives what `kubectl apply` and `edit` need: `$retainKeys`, `$patch: delete` of an item, `$setElementOrder/…` and
 * `$deleteFromPrimitiveList/…`.
 */
import { notImplemented } from '../api/errors.ts';
import { itemKey, type ListKeys, mergedOrder, type Shape } from './list-keys.ts';

type Json = Record<string, unknown>;

interface At {
  keys: ListKeys;
  fields: readonly string[];
  /** Whether fields that start with `$` are directives. */
  strategic?: boolean;
}

/** Whether the value is a JSON object. */
export const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `target` with the patch applied, list by list as the keys say; `null` removes. Neither is changed. */
export const merge = (target: unknown, patch: unknown, keys: ListKeys = () => undefined): unknown =>
  mergeValue(target, patch, { keys, fields: [] });

/** A strategic merge knows every item by one key, and replaces nothing whole but lists without keys. */
export function strategicMerge(target: Json, patch: Json, keys: ListKeys): Json {
  const byFirst: ListKeys = (path) => {
    const shape = keys(path);
    return typeof shape === 'object' ? { keys: shape.keys.slice(0, 1) } : shape === 'set' ? shape : undefined;
  };
  return mergeFields(target, patch, { keys: byFirst, fields: [], strategic: true });
}

function mergeValue(target: unknown, patch: unknown, at: At): unknown {
  const shape = at.keys(at.fields);
  if (shape === 'atomic') return patch;
  if (Array.isArray(patch) && shape) return mergeItems(Array.isArray(target) ? target : [], patch, { ...at, shape });
  return isMap(patch) ? mergeFields(isMap(target) ? target : {}, patch, at) : patch;
}

const below = (at: At, field: string): At => ({ ...at, fields: [...at.fields, field] });

function mergeFields(target: Json, patch: Json, at: At): Json {
  const [directives = [], fields = []] = parted(Object.entries(patch), ([field]) => at.strategic && field[0] === '$');
  const { $retainKeys: kept } = Object.fromEntries(directives);
  const before = Object.entries(target).filter(([field]) => !Array.isArray(kept) || kept.includes(field));
  const merged = new Map(before);
  for (const [field, value] of fields) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergeValue(merged.get(field), value, below(at, field)));
  }
  for (const [directive, value] of directives) direct(merged, { directive, value, at });
  return Object.fromEntries(merged);
}

const parted = <T>(all: T[], test: (each: T) => unknown): T[][] => [
  all.filter(test),
  all.filter((each) => !test(each)),
];

function mergeItems(target: unknown[], patch: unknown[], at: At & { shape: Exclude<Shape, 'atomic'> }): unknown[] {
  const byKey = (items: unknown[]) => new Map(items.map((item) => [itemKey(at.shape, item), item]));
  const [present, wanted] = [byKey(target), byKey(patch)];
  const whole = at.shape === 'set' || at.shape.atomicItems;
  const merged = (item: unknown, before: unknown) =>
    whole || !isMap(item) ? item : mergeFields((before ?? {}) as Json, item, at);
  const isDeleted = (item: unknown) => at.strategic && isMap(item) && item.$patch === 'delete';
  return mergedOrder([...present.keys()], [...wanted.keys()])
    .filter((key) => !isDeleted(wanted.get(key)))
    .map((key) => (wanted.has(key) ? merged(wanted.get(key), present.get(key)) : present.get(key)));
}

/** Carries out what a directive says of a merged list. */
function direct(
  merged: Map<string, unknown>,
  { directive, value, at }: { directive: string; value: unknown; at: At },
): void {
  if (directive === '$retainKeys') return;
  const [, name, field = ''] = /^\$(setElementOrder|deleteFromPrimitiveList)\/(.+)$/.exec(directive) ?? [];
  if (!name) throw notImplemented(`the directive ${directive} of a strategic merge patch here`);
  const shape = at.keys([...at.fields, field]);
  const list = merged.get(field);
  if (!shape || shape === 'atomic' || !Array.isArray(list) || !Array.isArray(value)) return;
  if (name === 'deleteFromPrimitiveList')
    return void merged.set(
      field,
      list.filter((item) => !value.includes(item)),
    );
  const items = new Map(list.map((item) => [itemKey(shape, item), item]));
  const order = mergedOrder(
    [...items.keys()],
    value.map((item) => itemKey(shape, item)),
  );
  merged.set(
    field,
    order.flatMap((key) => (items.has(key) ? [items.get(key)] : [])),
  );
}
