/**
 * Strategic merge patch: a merge patch that knows which lists have items with names. What `kubectl apply`, `edit` and
 * `patch` send for built-in kinds, with its directives `$patch`, `$retainKeys`, `$setElementOrder/…` and
 * `$deleteFromPrimitiveList/…`.
 */
import { itemKey, type ListKeys, type ListMap, mergedOrder } from './list-keys.ts';
import { isMap } from './merge-patch.ts';

type Json = Record<string, unknown>;
interface At {
  keys: ListKeys;
  fields: readonly string[];
}

/** `target` with the patch applied; neither is changed. */
export const strategicMerge = (target: Json, patch: Json, keys: ListKeys): Json =>
  mergeFields(target, patch, { keys, fields: [] });

function mergeFields(target: Json, patch: Json, at: At): Json {
  if (patch.$patch === 'delete') return {};
  if (patch.$patch === 'replace') return plain(patch) as Json;
  const merged = new Map(Object.entries(retained(target, patch)));
  for (const [field, value] of Object.entries(patch)) {
    const below = { ...at, fields: [...at.fields, field] };
    if (value === null) merged.delete(field);
    else if (!field.startsWith('$')) merged.set(field, mergeValue(merged.get(field), value, below));
  }
  for (const [directive, value] of Object.entries(patch)) applyDirective(merged, directive, { value, at });
  return Object.fromEntries(merged);
}

const retained = (target: Json, { $retainKeys: keys }: Json): Json =>
  Array.isArray(keys) ? Object.fromEntries(Object.entries(target).filter(([field]) => keys.includes(field))) : target;

function mergeValue(target: unknown, value: unknown, at: At): unknown {
  if (isMap(value)) return mergeFields(isMap(target) ? target : {}, value, at);
  return Array.isArray(value) ? mergeList(Array.isArray(target) ? target : [], value, at) : value;
}

function mergeList(target: unknown[], patch: unknown[], at: At): unknown[] {
  const shape = at.keys(at.fields);
  if (shape === 'set') return [...new Set([...target, ...patch])];
  if (!shape || shape === 'atomic') return plain(patch) as unknown[];
  const replaces = (item: unknown) => isMap(item) && item.$patch === 'replace';
  const left = patch.some(replaces) ? [] : target;
  return mergeItems(left, patch.filter((item) => isMap(item) && !replaces(item)) as Json[], { ...at, shape });
}

function mergeItems(target: unknown[], patch: Json[], at: At & { shape: ListMap }): unknown[] {
  const shape = byMergeKey(at.shape);
  const items = new Map(target.map((item) => [itemKey(shape, item), item]));
  for (const item of patch) {
    const key = itemKey(shape, item);
    if (item.$patch === 'delete') items.delete(key);
    else items.set(key, mergeFields((items.get(key) ?? {}) as Json, item, at));
  }
  return [...items.values()];
}

/** A strategic merge knows an item by one key, where server-side apply may need several. */
const byMergeKey = ({ keys }: ListMap): ListMap => ({ keys: keys.slice(0, 1) });

function applyDirective(
  merged: Map<string, unknown>,
  directive: string,
  { value, at }: { value: unknown; at: At },
): void {
  const [, name, field = ''] = /^\$(setElementOrder|deleteFromPrimitiveList)\/(.+)$/.exec(directive) ?? [];
  const list = merged.get(field);
  if (!name || !Array.isArray(list) || !Array.isArray(value)) return;
  const left = list.filter((item) => !value.includes(item));
  merged.set(field, name === 'setElementOrder' ? ordered(list, value, { ...at, fields: [...at.fields, field] }) : left);
}

function ordered(list: unknown[], order: unknown[], at: At): unknown[] {
  const shape = at.keys(at.fields);
  if (!shape || shape === 'atomic') return list;
  const key = (item: unknown) => itemKey(shape === 'set' ? shape : byMergeKey(shape), item);
  const items = new Map(list.map((item) => [key(item), item]));
  return mergedOrder([...items.keys()], order.map(key)).flatMap((each) => (items.has(each) ? [items.get(each)] : []));
}

/** A value as the patch gives it, without directives. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  const fields = Object.entries(value).filter(([field, child]) => !field.startsWith('$') && child !== null);
  return Object.fromEntries(fields.map(([field, child]) => [field, plain(child)]));
}
