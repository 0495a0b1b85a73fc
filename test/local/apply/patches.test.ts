import { describe, expect, test } from 'vitest';
import { jsonPatch, type Operation } from '../../../local/apply/json-patch.ts';
import { merge } from '../../../local/apply/merge.ts';
import { fc } from '../../support/fast-check.ts';

const object = () => fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });

describe('a merge patch', () => {
  test.each<[unknown, unknown, unknown]>([
    // The table of RFC 7386, appendix A.
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j and %j make %j', (target, patch, result) => {
    expect(merge(target, patch)).toEqual(result);
  });

  test('applied twice is applied once, and changes nothing that it was given', () => {
    fc.assert(
      fc.property(object(), object(), (target, patch) => {
        const before = structuredClone(target);
        const once = merge(target, patch);
        expect(merge(once, patch)).toEqual(once);
        expect(target).toEqual(before);
      }),
    );
  });

  test('reaches no prototype', () => {
    merge({}, JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('a JSON patch', () => {
  const target = { a: { b: 1 }, list: ['x', 'y'], 'sl/ash': 1, 'til~de': 2 };
  test.each<[string, Operation[], unknown]>([
    ['adds a field', [{ op: 'add', path: '/a/c', value: 2 }], { ...target, a: { b: 1, c: 2 } }],
    ['adds over a field', [{ op: 'add', path: '/a', value: 2 }], { ...target, a: 2 }],
    ['adds into a list', [{ op: 'add', path: '/list/1', value: 'z' }], { ...target, list: ['x', 'z', 'y'] }],
    ['adds at the end', [{ op: 'add', path: '/list/-', value: 'z' }], { ...target, list: ['x', 'y', 'z'] }],
    ['removes an item', [{ op: 'remove', path: '/list/0' }], { ...target, list: ['y'] }],
    ['replaces', [{ op: 'replace', path: '/a/b', value: [] }], { ...target, a: { b: [] } }],
    [
      'reads escapes',
      [
        { op: 'replace', path: '/sl~1ash', value: 3 },
        { op: 'remove', path: '/til~0de' },
      ],
      { a: { b: 1 }, list: ['x', 'y'], 'sl/ash': 3 },
    ],
    ['tests', [{ op: 'test', path: '/a', value: { b: 1 } }], target],
    ['tests that a field is not there', [{ op: 'test', path: '/z', value: null }], target],
    ['replaces the whole', [{ op: 'replace', path: '', value: 1 }], 1],
  ])('%s', (_, operations, result) => {
    const before = structuredClone(target);
    expect(jsonPatch(target, operations)).toEqual(result);
    expect(target).toEqual(before);
  });

  test.each<Operation>([
    { op: 'remove', path: '/z' },
    { op: 'replace', path: '/z', value: 1 },
    { op: 'add', path: '/z/y', value: 1 },
    { op: 'add', path: '/list/3', value: 1 },
    { op: 'add', path: '/list/x', value: 1 },
    { op: 'remove', path: '/list/-' },
    { op: 'test', path: '/a/b', value: 2 },
    { op: 'add', path: 'a', value: 1 },
    { op: 'add', path: '/__proto__/polluted', value: 1 },
    { op: 'add', path: '/a/b/c', value: 1 },
  ])('refuses %j', (operation) => {
    expect(() => jsonPatch(target, [operation])).toThrow(expect.objectContaining({ code: 422 }));
  });

  test('of operations of which one fails does none', () => {
    const given = { a: 1 };
    expect(() =>
      jsonPatch(given, [
        { op: 'remove', path: '/a' },
        { op: 'test', path: '/a', value: 1 },
      ]),
    ).toThrow();
    expect(given).toEqual({ a: 1 });
  });

  test('refuses what is no list, and an operation that the stand-in does not have', () => {
    expect(() => jsonPatch({}, { op: 'add' } as never)).toThrow(expect.objectContaining({ code: 400 }));
    for (const op of ['copy', 'toString'])
      expect(() => jsonPatch({}, [{ op, path: '/a' }])).toThrow(expect.objectContaining({ code: 501 }));
  });

  test('that adds every field of an object makes that object', () => {
    fc.assert(
      fc.property(object(), (wanted) => {
        const escaped = (key: string) => key.replace(/~/g, '~0').replace(/\//g, '~1');
        const operations = Object.entries(wanted).map(([key, value]) => ({
          op: 'add',
          path: `/${escaped(key)}`,
          value,
        }));
        expect(jsonPatch({}, operations)).toEqual(wanted);
      }),
    );
  });
});
