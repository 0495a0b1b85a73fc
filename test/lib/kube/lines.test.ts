import { expect, test } from 'vitest';
import { decode, lines } from '../../../lib/kube/lines.ts';
import { fc } from '../../support/fast-check.ts';
import { all } from './fake.ts';

async function* pieces(bytes: Buffer, borders: number[]) {
  const cuts = [0, ...borders.map((border) => border % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < cuts.length; i++) yield bytes.subarray(cuts[i - 1], cuts[i]);
}

test('lines come whole wherever the bytes are cut, in the middle of a character too', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (texts, borders) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
      expect(await all(lines(pieces(bytes, borders)))).toEqual(texts);
      expect((await all(decode(pieces(bytes, borders)))).join('')).toBe(bytes.toString());
    }),
  );
});

test('a last line without its end was cut off, and is no line', async () => {
  expect(await all(lines(pieces(Buffer.from('{"a":1}\n{"b"'), [])))).toEqual(['{"a":1}']);
});
