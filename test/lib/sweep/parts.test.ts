import { describe, expect, test } from 'vitest';
import type { KubeObject, Stored } from '../../../lib/api/meta.ts';
import { covers } from '../../../lib/sweep/covers.ts';
import { fairly } from '../../../lib/sweep/fair.ts';
import { joined } from '../../../lib/sweep/join.ts';
import { fc } from '../../support/fast-check.ts';

describe('a live object says all that it was made with', () => {
  test.each([
    ['fields that were added beside', { a: 1 }, { a: 1, b: 2 }],
    ['defaults in a named list', [{ name: 'x', image: 'i' }], [{ name: 'x', image: 'i', imagePullPolicy: 'Always' }]],
    ['a named list in another order', [{ name: 'x' }, { name: 'y' }], [{ name: 'y' }, { name: 'x' }]],
    [
      'a sidecar that somebody put beside (which is for another check)',
      [{ name: 'x' }],
      [{ name: 'z' }, { name: 'x' }],
    ],
    ['a quantity in its own form', { cpu: '1000m', memory: '1024Mi' }, { cpu: '1', memory: '1Gi' }],
    ['a false that is not stored', { enableServiceLinks: false }, {}],
    ['nothing asked for', { tolerations: undefined, nodeSelector: {} }, {}],
  ])('with %s', (_what, wanted, live) => expect(covers(wanted, live)).toBe(true));

  test.each([
    ['another number', { replicas: 1 }, { replicas: 0 }],
    ['another text', { image: 'a' }, { image: 'b' }],
    ['another quantity', { cpu: '1' }, { cpu: '2' }],
    ['a field taken away', { a: { b: 'c' } }, { a: {} }],
    ['a named item taken away', [{ name: 'x' }, { name: 'y' }], [{ name: 'x' }]],
    ['an item put into a list without names', ['a'], ['a', 'b']],
    ['a true turned into false', { readOnlyRootFilesystem: true }, { readOnlyRootFilesystem: false }],
    ['a zero turned into one', { replicas: 0 }, { replicas: 1 }],
  ])('but not with %s', (_what, wanted, live) => expect(covers(wanted, live)).toBe(false));

  test('and every value covers itself', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => covers(value, value)));
  });
});

describe('a bounded number is done in a pass', () => {
  test('the same from each project', () => {
    const lists = [['a1', 'a2', 'a3', 'a4'], ['b1'], ['c1', 'c2']];
    expect(fairly(lists, { most: 5, turn: 0 }).sort()).toEqual(['a1', 'a2', 'b1', 'c1', 'c2']);
  });

  test('and everything comes to its turn, whatever the lists', () => {
    const lists = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 20 }), (lengths, most) => {
        const all = lengths.map((length, list) => Array.from({ length }, (_, item) => `${list}-${item}`));
        const done = new Set<string>();
        for (let turn = 0; turn < 200; turn++) {
          const chosen = fairly(all, { most, turn });
          if (chosen.length > most || new Set(chosen).size < chosen.length) return false;
          for (const one of chosen) done.add(one);
        }
        return done.size === all.flat().length;
      }),
    );
  });
});

describe('Sessions and their children are walked side by side', () => {
  const object = (namespace: string, name: string) =>
    ({
      apiVersion: 'v1',
      kind: 'X',
      metadata: { namespace, name, uid: name, resourceVersion: '1' },
    }) as Stored<KubeObject>;
  const inOrder = (objects: Stored<KubeObject>[]) => {
    const key = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
    return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  };
  async function* stream(objects: Stored<KubeObject>[]) {
    yield* inOrder(objects);
  }

  test('each with those of its name, in namespaces whose names begin alike', async () => {
    const names = fc.uniqueArray(
      fc.tuple(fc.constantFrom('a', 'a-b', 'a0', 'b'), fc.constantFrom('x', 'x-1', 'x1', 'y')),
      {
        selector: (pair) => pair.join('/'),
      },
    );
    await fc.assert(
      fc.asyncProperty(names, names, async (parents, children) => {
        const of = (pairs: [string, string][]) => pairs.map(([namespace, name]) => object(namespace, name));
        const there = new Set(children.map((pair) => pair.join('/')));
        let seen = 0;
        for await (const { parent, children: found } of joined(stream(of(parents)), [stream(of(children))])) {
          seen += 1;
          const key = `${parent.metadata.namespace}/${parent.metadata.name}`;
          if ((found[0] !== undefined) !== there.has(key)) return false;
          if (found[0] && found[0].metadata.name !== parent.metadata.name) return false;
        }
        return seen === parents.length;
      }),
    );
  });
});
