import { afterEach, beforeEach, expect, it } from 'vitest';
import { Store } from '../../../local/api/store.ts';
import type { Stored } from '../../../local/types.ts';

let store: Store;
beforeEach(() => {
  store = new Store(':memory:', 4);
});
afterEach(() => store.close());

const object = (name: string, at = ''): Stored => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name, namespace: 'n' },
  at,
});
const names = (objects: Stored[] | undefined) => objects?.map(({ metadata: { name }, at }) => `${name}${at}`);

it('gives each change one version over all resources', () => {
  expect(store.put('as', object('x')).metadata.resourceVersion).toBe('1');
  expect(store.put('bs', object('x')).metadata.resourceVersion).toBe('2');
  expect(store.remove('as', object('x')).metadata.resourceVersion).toBe('3');
});

it('lists as it was at an earlier version', () => {
  store.put('as', object('b', '1'));
  store.put('as', object('a'));
  const { version } = store;
  store.put('as', object('b', '2'));
  store.remove('as', object('a'));
  store.put('as', object('c'));
  expect(names(store.listAt('as', '', version))).toEqual(['a', 'b1']);
  expect(names(store.list('as', 'n'))).toEqual(['b2', 'c']);
  expect(store.list('as', 'other')).toEqual([]);
});

it('knows only so many changes, and says when it knows too few', () => {
  for (let at = 0; at < 6; at++) store.put('as', object('x', String(at)));
  expect(store.since(2)?.map(({ version }) => version)).toEqual([3, 4, 5, 6]);
  expect(store.since(1)).toBeUndefined();
  expect(store.listAt('as', '', 1)).toBeUndefined();
  expect(store.since(6)).toEqual([]);
});

it('changes nothing where the write fails, and tells nobody', () => {
  const told: unknown[] = [];
  store.listen((change) => told.push(change));
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  expect(() => store.put('as', { ...object('x'), cyclic })).toThrow();
  expect([store.version, store.list('as'), told]).toEqual([0, [], []]);
});
