/** The two walks of server-side apply over an object: merging a configuration into it, and removing fields from it. */
import { type FieldSet, SEPARATOR } from './fields.ts';
import { itemKey, type ListKeys, mergedOrder, type Shape } from './list-keys.ts';
import { isMap } from './merge-patch.ts';

interface At {
  keys: ListKeys;
  fields: readonly string[];
}

/** `live` with the configuration merged in, list by list as the keys say. A `null` removes. */
export function mergeConfig(live: unknown, config: unknown, at: At): unknown {
  const shape = at.keys(at.fields);
  if (shape === 'atomic') return config;
  if (Array.isArray(config) && Array.isArray(live) && shape) return mergeItems(live, config, { ...at, shape });
  return isMap(config) ? mergeFields(isMap(live) ? live : {}, config, at) : config;
}

function mergeFields(live: Record<string, unknown>, config: Record<string, unknown>, { keys, fields }: At) {
  const merged = Object.entries(config).map(([field, value]) => {
    return [field, mergeConfig(live[field], value, { keys, fields: [...fields, field] })] as const;
  });
  return Object.fromEntries(
    Object.entries({ ...live, ...Object.fromEntries(merged) }).filter(([, value]) => value !== null),
  );
}

function mergeItems(live: unknown[], config: unknown[], at: At & { shape: Exclude<Shape, 'atomic'> }): unknown[] {
  const { shape } = at;
  const present = new Map(live.map((item) => [itemKey(shape, item), item]));
  const wanted = new Map(config.map((item) => [itemKey(shape, item), item]));
  const whole = shape === 'set' || shape.atomicItems;
  return mergedOrder([...present.keys()], [...wanted.keys()]).map((key) => {
    if (!wanted.has(key)) return present.get(key);
    const item = wanted.get(key);
    return whole || !isMap(item) ? item : mergeFields((present.get(key) ?? {}) as Record<string, unknown>, item, at);
  });
}

/** The value without the places of `gone`, each with all that is below it. What is emptied goes too. */
export function removeFields(value: unknown, gone: FieldSet, at: At & { path: string }): unknown {
  const shape = at.keys(at.fields);
  const below = (element: string) => (at.path === '' ? element : at.path + SEPARATOR + element);
  if (Array.isArray(value) && shape && shape !== 'atomic') {
    const keyed = value.map((item) => ({ item, path: below(itemKey(shape, item)) }));
    const left = keyed.filter(({ path }) => !gone.has(path));
    return left.map(({ item, path }) => (isMap(item) ? removeEntries(item, gone, { ...at, path }) : item));
  }
  return isMap(value) && shape !== 'atomic' ? removeEntries(value, gone, at) : value;
}

function removeEntries(value: Record<string, unknown>, gone: FieldSet, at: At & { path: string }) {
  const below = (field: string) => (at.path === '' ? `f:${field}` : `${at.path}${SEPARATOR}f:${field}`);
  const left = Object.entries(value).filter(([field]) => !gone.has(below(field)));
  const pruned = left.map(([field, child]) => {
    const rest = removeFields(child, gone, { ...at, fields: [...at.fields, field], path: below(field) });
    return [field, isEmpty(rest) && !isEmpty(child) ? undefined : rest] as const;
  });
  return Object.fromEntries(pruned.filter(([, child]) => child !== undefined));
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
