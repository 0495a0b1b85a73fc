/**
 * What an apply changes: each value that is different afterwards, from the API server's own dry run. It is what a
 * person reads and what their yes is bound to, one and the same. What the server picks anew at every try (an address,
 * a port, a uid) and what only counts writes is left out. Pure.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../api/meta.ts';
import type { Manifest } from '../api/question-parts.ts';
import { canonical, named } from './apply-manifest.ts';

export interface Change {
  /** `spec.containers[app].image`. */
  path: string;
  /** Absent where there was none. */
  before?: unknown;
  /** Absent where there is none any more. */
  after?: unknown;
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Which object it is, which is said beside the changes; and what the server writes at every write. */
const BOOKS = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
];
/** Picked by the server, another one at every dry run, unless the object says which. */
const PICKED = ['clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort', 'uid', 'controller-uid'];

function comparable(object: KubeObject | undefined): unknown {
  if (!object) return undefined;
  const { status: _status, apiVersion: _version, kind: _kind, metadata, ...rest } = object as KubeObject & Fields;
  const kept = Object.entries(metadata).filter(([key]) => !BOOKS.includes(key));
  return { ...rest, ...(kept.length > 0 && { metadata: Object.fromEntries(kept) }) };
}

/** The items of a list by their names, where each has one of its own. */
function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const names = list.map((item) => (isObject(item) && typeof item.name === 'string' ? item.name : undefined));
  if (names.includes(undefined) || new Set(names).size < names.length) return undefined;
  return new Map(list.map((item, index) => [names[index] ?? '', item]));
}

const sameOrder = (a: readonly string[], b: readonly string[]): boolean =>
  isDeepStrictEqual(
    a.filter((name) => b.includes(name)),
    b.filter((name) => a.includes(name)),
  );

const byIndex = (list: readonly unknown[]) => new Map(list.map((item, index) => [String(index), item]));

/** Both lists by keys: by names where that hides no other order, else by position. */
function keyed(before: readonly unknown[], after: readonly unknown[]): [Map<string, unknown>, Map<string, unknown>] {
  const [a, b] = [byName(before), byName(after)];
  return a && b && sameOrder([...a.keys()], [...b.keys()]) ? [a, b] : [byIndex(before), byIndex(after)];
}

const entries = (value: unknown): Map<string, unknown> => new Map(Object.entries((value ?? {}) as Fields));

/** A key that could be read as more of the path stands in quotes. */
const plain = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

interface Pair {
  path: string;
  before: unknown;
  after: unknown;
}

/** One level further down; `undefined` for values that have none. */
function below({ path, before, after }: Pair): Pair[] | undefined {
  const values = [before, after].filter((value) => value !== undefined);
  const paired = (a: Map<string, unknown>, b: Map<string, unknown>, to: (key: string) => string): Pair[] =>
    [...new Set([...a.keys(), ...b.keys()])]
      .sort()
      .map((key) => ({ path: to(key), before: a.get(key), after: b.get(key) }));
  if (values.every(Array.isArray)) {
    const [a, b] = keyed((before ?? []) as unknown[], (after ?? []) as unknown[]);
    return paired(a, b, (key) => `${path}[${plain(key)}]`);
  }
  if (!values.every(isObject)) return undefined;
  return paired(entries(before), entries(after), (key) => (path ? `${path}.${plain(key)}` : plain(key)));
}

const isEmpty = (value: unknown): boolean => isDeepStrictEqual(value, {}) || isDeepStrictEqual(value, []);

function differences(pair: Pair): Change[] {
  const { path, before, after } = pair;
  if (isDeepStrictEqual(before, after)) return [];
  const parts = isEmpty(before) || isEmpty(after) ? undefined : below(pair);
  if (parts) return parts.flatMap(differences);
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/** What becomes of an object: `live`, absent where it is made, as the dry run gives it back. */
export function changesOf(manifest: Manifest, live: KubeObject | undefined, dryRun: KubeObject): Change[] {
  const picked = PICKED.filter((key) => !manifest.fields.includes(`"${key}":`));
  const isPicked = ({ path }: Change) => path.split(/[.[\]"/]+/).some((key) => picked.includes(key));
  const about = { path: '', before: comparable(live), after: comparable(dryRun) };
  return differences(about).filter((change) => !isPicked(change));
}

/** What a yes is bound to: which object it is, this very one, and each of the changes. */
export const digestOf = (manifest: Manifest, live: KubeObject | undefined, changes: readonly Change[]): string =>
  createHash('sha256')
    .update(canonical([manifest.apiVersion, named(manifest), live?.metadata.uid ?? '', changes]))
    .digest('hex');
