/**
 * Sets of fields, as server-side apply reckons with them: every place in an object that a manager may own, and how
 * `metadata.managedFields` writes such a set (FieldsV1). A place is a path of elements such as `f:spec`,
 * `k:{"name":"a"}` and `v:"x"`, joined into one string, so that sets are plain sets.
 */
import { isDeepStrictEqual } from 'node:util';
import { itemKey, type ListKeys } from './list-keys.ts';
import { isMap } from './merge.ts';

/** Joins the elements of a path; no element has it, because JSON escapes it. */
export const SEPARATOR = '\u0000';

export type FieldSet = ReadonlySet<string>;

/** One place of an object. */
export interface Field {
  /** The value where it counts as one; of a map or list whose parts count, an empty one. */
  value: unknown;
  /** Whether setting it is owning it: a place that only leads to others is not. */
  owned: boolean;
}

interface At {
  keys: ListKeys;
  fields: readonly string[];
  path: string;
}

/** What the server sets itself and nobody owns. */
const SYSTEM =
  /^f:(apiVersion|kind|metadata(\0f:(name|namespace|creationTimestamp|uid|generation|managedFields|resourceVersion))?)$/;

/** Every place in the object that can be owned, but for those in `except`: top-level fields that this write can't set. */
export function fieldsOf(object: unknown, keys: ListKeys, except: readonly string[] = []): Map<string, Field> {
  const all = isMap(object) ? Object.entries(object).filter(([field]) => !except.includes(field)) : [];
  const found = all.flatMap(([field, value]) => [...walk(value, { keys, fields: [field], path: `f:${field}` })]);
  return new Map(found.filter(([path]) => !SYSTEM.test(path)));
}

function* walk(value: unknown, at: At): Generator<[string, Field]> {
  const shape = at.keys(at.fields);
  if (Array.isArray(value) && shape && shape !== 'atomic') {
    yield [at.path, { value: [], owned: false }];
    for (const item of value) yield* walkItem(item, { ...at, path: at.path + SEPARATOR + itemKey(shape, item) });
  } else if (isMap(value) && shape !== 'atomic') {
    yield [at.path, { value: {}, owned: Object.keys(value).length === 0 }];
    yield* walkMap(value, at);
  } else {
    yield [at.path, { value, owned: true }];
  }
}

function* walkItem(item: unknown, at: At): Generator<[string, Field]> {
  const shape = at.keys(at.fields);
  const whole = !isMap(item) || (typeof shape === 'object' && shape.atomicItems);
  yield [at.path, { value: whole ? item : {}, owned: true }];
  if (!whole) yield* walkMap(item, at);
}

function* walkMap(value: Record<string, unknown>, { keys, fields, path }: At): Generator<[string, Field]> {
  for (const [field, child] of Object.entries(value)) {
    yield* walk(child, { keys, fields: [...fields, field], path: `${path}${SEPARATOR}f:${field}` });
  }
}

/** What a write sets and what it removes. */
export function changes(before: ReadonlyMap<string, Field>, after: ReadonlyMap<string, Field>) {
  const set = [...after].filter(([path, { value }]) => {
    const old = before.get(path);
    return !old || !isDeepStrictEqual(old.value, value);
  });
  const removed = [...before.keys()].filter((path) => !after.has(path));
  return { set: new Set(set.map(([path]) => path)), removed: new Set(removed) };
}

export const union = (...sets: FieldSet[]): Set<string> => new Set(sets.flatMap((set) => [...set]));
export const difference = (set: FieldSet, other: FieldSet): Set<string> =>
  new Set([...set].filter((path) => !other.has(path)));

/** The set, and each named field that leads to one of it. */
export function withParents(set: FieldSet): Set<string> {
  const all = new Set(set);
  for (const path of set) {
    const elements = path.split(SEPARATOR);
    for (let length = 1; length < elements.length; length++) {
      if (elements[length - 1]?.startsWith('f:')) all.add(elements.slice(0, length).join(SEPARATOR));
    }
  }
  return all;
}

/** The value without the places of `gone`, each with all that is below it. What is emptied goes too. */
export const removeFields = (value: unknown, gone: FieldSet, keys: ListKeys): unknown =>
  without(value, gone, { keys, fields: [], path: '' });

function without(value: unknown, gone: FieldSet, at: At): unknown {
  const shape = at.keys(at.fields);
  if (Array.isArray(value) && shape && shape !== 'atomic') {
    const keyed = value.map((item) => ({ item, path: at.path + SEPARATOR + itemKey(shape, item) }));
    const left = keyed.filter(({ path }) => !gone.has(path));
    return left.map(({ item, path }) => (isMap(item) ? withoutFields(item, gone, { ...at, path }) : item));
  }
  return isMap(value) && shape !== 'atomic' ? withoutFields(value, gone, at) : value;
}

function withoutFields(value: Record<string, unknown>, gone: FieldSet, at: At) {
  const left = Object.entries(value).flatMap(([field, child]) => {
    const path = `${at.path && at.path + SEPARATOR}f:${field}`;
    const rest = gone.has(path) ? undefined : without(child, gone, { ...at, fields: [...at.fields, field], path });
    return rest === undefined || (isEmpty(rest) && !isEmpty(child)) ? [] : [[field, rest]];
  });
  return Object.fromEntries(left);
}

const isEmpty = (value: unknown): boolean => value instanceof Object && Object.keys(value).length === 0;

export type FieldsV1 = { [element: string]: FieldsV1 };

/** The set as `managedFields` holds it. */
export function encodeFields(set: FieldSet): FieldsV1 {
  const root: FieldsV1 = {};
  const sorted = [...set].sort();
  for (const [index, path] of sorted.entries()) {
    const leads = sorted[index + 1]?.startsWith(path + SEPARATOR);
    let at = root;
    for (const element of path.split(SEPARATOR)) at = at[element] ??= {};
    if (leads) at['.'] = {};
  }
  return root;
}

/** Reads a set; what is no FieldsV1 is no part of it. */
export function decodeFields(fields: unknown): Set<string> {
  return new Set(isMap(fields) ? decode(fields, '') : []);
}

function* decode(fields: Record<string, unknown>, path: string): Generator<string> {
  if ('.' in fields) yield path;
  const elements = Object.entries(fields).filter(([element]) => /^[fkv]:/.test(element));
  for (const [element, below] of elements) {
    const place = (path && path + SEPARATOR) + element;
    if (isMap(below) && Object.keys(below).length > 0) yield* decode(below, place);
    else yield place;
  }
}

/** The place as a person reads it: `.spec.containers[name="a"].image`. */
export function describeField(path: string): string {
  const elements = path.split(SEPARATOR).map((element) => {
    const rest = element.slice(2);
    if (element.startsWith('f:')) return `.${rest}`;
    if (element.startsWith('v:')) return `[=${rest}]`;
    const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
    return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
  });
  return elements.join('');
}
