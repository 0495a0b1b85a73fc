/**
 * Strategic merge patch: a merge patch that knows which lists have items with names. What `kubectl apply`, `edit` and
 * `patch` send for built-in kinds, with its directives `$patch`, `$retainKeys`, `$setElementOrder/…` and
 * `$deleteFromPrimitiveList/…`.
 */
import { itemKey, type ListKeys } from './list-keys.ts';
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
  if (patch.$patch === 'replace') return plain(patch) as Json;
  const merged = new Map(Object.entries(retained(target, patch)));
  const fields = Object.entries(patch).filter(([field]) => !field.startsWith('$'));
  for (const [field, value] of fields) {
    if (value === null || (isMap(value) && value.$patch === 'delete')) merged.delete(field);
    else merged.set(field, mergeValue(merged.get(field), value, below(at, field)));
  }
  for (const [directive, value] of Object.entries(patch)) applyDirective(merged, directive, { value, at });
  return Object.fromEntries(merged);
}

const below = ({ keys, fields }: At, field: string): At => ({ keys, fields: [...fields, field] });

const retained = (target: Json, { $retainKeys: keys }: Json): Json =>
  Array.isArray(keys) ? Object.fromEntries(Object.entries(target).filter(([field]) => keys.includes(field))) : target;

function mergeValue(target: unknown, value: unknown, at: At): unknown {
  if (isMap(value)) return mergeFields(isMap(target) ? target : {}, value, at);
  return Array.isArray(value) ? mergeList(Array.isArray(target) ? target : [], value, at) : value;
}

function mergeList(target: unknown[], patch: unknown[], at: At): unknown[] {
  const key = keyOf(at);
  if (!key) return plain(patch) as unknown[];
  const replaces = (item: unknown) => isMap(item) && item.$patch === 'replace';
  const present = patch.some(replaces) ? [] : target;
  const items = new Map(present.map((item) => [key(item), item]));
  const wanted = patch.filter((item) => !replaces(item));
  for (const item of wanted) {
    if (isMap(item) && item.$patch === 'delete') items.delete(key(item));
    else items.set(key(item), mergeValue(items.get(key(item)), item, at));
  }
  return inOrder(items, present.map(key), wanted.map(key));
}

/** A strategic merge knows an item by one key, where server-side apply may need several. */
function keyOf({ keys, fields }: At): ((item: unknown) => string) | undefined {
  const shape = keys(fields);
  if (!shape || shape === 'atomic') return undefined;
  return (item) => itemKey(shape === 'set' ? shape : { keys: shape.keys.slice(0, 1) }, item);
}

/** The order of `wanted`; what only `present` has comes before the first that it preceded. */
function inOrder(items: ReadonlyMap<string, unknown>, present: string[], wanted: string[]): unknown[] {
  const rest = [...wanted];
  const place = (key: string) => present.indexOf(key);
  const order = present
    .filter((key) => !wanted.includes(key))
    .flatMap((key) => {
      const before = rest.findIndex((each) => place(each) > place(key));
      return [...rest.splice(0, before < 0 ? rest.length : before), key];
    });
  return [...order, ...rest].flatMap((key) => (items.has(key) ? [items.get(key)] : []));
}

function applyDirective(
  merged: Map<string, unknown>,
  directive: string,
  { value, at }: { value: unknown; at: At },
): void {
  const [, name, field = ''] = /^\$(setElementOrder|deleteFromPrimitiveList)\/(.+)$/.exec(directive) ?? [];
  const list = merged.get(field);
  const key = keyOf(below(at, field));
  if (!name || !key || !Array.isArray(list) || !Array.isArray(value)) return;
  const items = new Map(list.map((item) => [key(item), item]));
  const ordered = () => inOrder(items, [...items.keys()], value.map(key));
  merged.set(field, name === 'setElementOrder' ? ordered() : list.filter((item) => !value.includes(item)));
}

/** A value as the patch gives it, without directives. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  const fields = Object.entries(value).filter(([field, child]) => !field.startsWith('$') && child !== null);
  return Object.fromEntries(fields.map(([field, child]) => [field, plain(child)]));
}
