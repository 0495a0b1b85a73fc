import { describe, expect, test } from 'vitest';
import { decodeFields, describeField, encodeFields, SEPARATOR } from '../../../local/apply/fields.ts';
import { builtInKeys, crdKeys, itemKey, mergedOrder } from '../../../local/apply/list-keys.ts';
import { trackUpdate, writeManaged } from '../../../local/apply/managed-fields.ts';
import { applyConfig } from '../../../local/apply/server-side-apply.ts';
import type { Stored } from '../../../local/types.ts';
import { fc } from '../../support/fast-check.ts';

const now = new Date('2026-01-02T03:04:05Z');
const configMap = (data: Record<string, string>, labels?: Record<string, string>): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...(labels && { labels }) },
  data,
});
const apply = (live: Stored | undefined, config: Stored, manager = 'm'): Stored =>
  applyConfig({ live, config, manager, force: true, subresource: '', now, keys: builtInKeys });

describe('a set of fields', () => {
  const element = fc.oneof(
    fc.string().map((name) => `f:${name}`),
    fc.string().map((value) => `v:${JSON.stringify(value)}`),
    fc.string().map((name) => itemKey({ keys: ['name'] }, { name })),
  );
  const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }).map((each) => each.join(SEPARATOR)));

  test('is read as it was written', () => {
    fc.assert(
      fc.property(paths, (given) => {
        const set = new Set(given);
        expect(decodeFields(JSON.parse(JSON.stringify(encodeFields(set))))).toEqual(set);
      }),
    );
  });

  test.each([[null], ['x'], [[]], [{ x: {} }], [{ 'f:a': 1 }], [JSON.parse('{"__proto__":{"f:x":{}}}')]])(
    'of %j is read without harm',
    (fields) => {
      encodeFields(decodeFields(fields));
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  test('is told as kubectl tells it', () => {
    const path = ['f:spec', 'f:containers', 'k:{"containerPort":80,"name":"a"}', 'v:"x"'].join(SEPARATOR);
    expect(describeField(path)).toBe('.spec.containers[containerPort=80,name="a"][="x"]');
  });
});

describe('an apply', () => {
  const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'));
  const labels = fc.option(data, { nil: undefined });

  test('done twice is done once', () => {
    fc.assert(
      fc.property(data, data, labels, (before, after, labelled) => {
        const once = apply(apply(undefined, configMap(before), 'other'), configMap(after, labelled));
        expect(apply(once, configMap(after, labelled))).toEqual(once);
      }),
    );
  });

  test('has what it applied, and leaves what others applied', () => {
    fc.assert(
      fc.property(data, data, data, (mine, theirs, mineThen) => {
        const live = apply(apply(undefined, configMap(mine)), configMap(theirs, { t: '1' }), 'other');
        const then = apply(live, configMap(mineThen)).data ?? {};
        expect(then).toMatchObject(mineThen);
        expect(Object.keys(then).sort()).toEqual(
          [...new Set([...Object.keys(theirs), ...Object.keys(mineThen)])].sort(),
        );
      }),
    );
  });

  test('of an object whose stamp nobody owns leaves the stamp', () => {
    const live = { ...apply(undefined, configMap({ a: '1' })), data: { a: '1', stamp: 'alice' } };
    expect(apply(live, configMap({ a: '2' })).data).toEqual({ a: '2', stamp: 'alice' });
  });

  test('may not bring managed fields', () => {
    const config = configMap({});
    config.metadata.managedFields = [];
    expect(() => apply(undefined, config)).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe('managed fields', () => {
  const entry = (operation: 'Apply' | 'Update', time: string, manager: string) => ({
    operation,
    time,
    manager,
    apiVersion: 'v1',
  });

  test('have appliers first, then the oldest', () => {
    const set = new Set(['f:a']);
    const entries = [
      entry('Update', '2', 'a'),
      entry('Apply', '2', 'b'),
      entry('Apply', '1', 'c'),
      entry('Apply', '1', 'a'),
    ];
    const order = writeManaged(entries.map((each) => ({ entry: each, set }))).map(({ manager }) => manager);
    expect(order).toEqual(['a', 'c', 'b', 'a']);
  });

  const old = (() => {
    const updated = configMap({ a: '1' });
    const managedFields = trackUpdate(updated, undefined, { manager: 'c', subresource: '', now, keys: builtInKeys });
    return { ...updated, metadata: { ...updated.metadata, managedFields } };
  })();

  test.each<[string, unknown[], string, string[]]>([
    ['are kept where what is given is none', [{ manager: 'x' }], '', ['c']],
    ['are reset by an empty list', [], '', []],
    ['are reset by one empty entry', [{}], '', []],
    ['are not reset through a subresource', [{}], 'status', ['c']],
  ])('%s', (...[, managedFields, subresource, managers]) => {
    const updated = { ...old, metadata: { ...old.metadata, managedFields } } as Stored;
    const tracked = trackUpdate(updated, old, { manager: 'd', subresource, now, keys: builtInKeys });
    expect(tracked.map(({ manager }) => manager)).toEqual(managers);
  });

  test('once reset are not tracked until the next apply', () => {
    const [one, two] = [configMap({ a: '1' }), configMap({ a: '1', b: '2' })];
    expect(trackUpdate(two, one, { manager: 'd', subresource: '', now, keys: builtInKeys })).toEqual([]);
    const managers = apply(two, configMap({ a: '1' })).metadata.managedFields?.map(({ manager }) => manager);
    expect(managers).toEqual(['m']);
  });
});

describe('the shape of a list', () => {
  test.each([
    ['spec.containers', { keys: ['name'] }],
    ['spec.template.spec.initContainers.env', { keys: ['name'] }],
    ['spec.containers.ports', { keys: ['containerPort', 'protocol'] }],
    ['metadata.finalizers', 'set'],
    ['spec.tolerations', undefined],
    ['spec.ingress.ports', undefined],
    ['spec.selector', 'atomic'],
    ['spec.constructor', undefined],
  ])('of %s', (path, shape) => {
    expect(builtInKeys(path.split('.'))).toEqual(shape);
  });

  test('of a custom resource is what its schema says', () => {
    const items = { type: 'object', properties: { tags: { 'x-kubernetes-list-type': 'set' } } };
    const list = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'], items };
    const keys = crdKeys({ properties: { spec: { properties: { list, free: { additionalProperties: list } } } } });
    expect(keys(['spec', 'list'])).toEqual({ keys: ['id'] });
    expect(keys(['spec', 'list', 'tags'])).toBe('set');
    expect(keys(['spec', 'free', 'x'])).toEqual({ keys: ['id'] });
    expect(keys(['spec', 'containers'])).toBeUndefined();
    expect(keys(['metadata', 'ownerReferences'])).toMatchObject({ keys: ['uid'] });
  });

  test('a merged order has each key once', () => {
    const keys = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'));
    fc.assert(
      fc.property(keys, keys, (present, wanted) => {
        const order = mergedOrder(present, wanted);
        expect([...order].sort()).toEqual([...new Set([...present, ...wanted])].sort());
        expect(order.filter((key) => wanted.includes(key))).toEqual(wanted);
      }),
    );
  });
});
