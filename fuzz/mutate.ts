/** Small changes to bytes and to JSON, of the kinds that parsers and verifiers trip over. */
import type { Chance } from './chance.ts';

/** Pieces that mean something to forms, JSON, headers and text. */
const PIECES = [
  '&',
  '=',
  '%',
  '%00',
  '+',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u0000',
  '\n',
  '\r\n',
  '\0',
  'payload=',
  '__proto__',
  'null',
  '1e999',
  '\ufeff',
  '😀',
  '<!channel>',
];

type Change = (bytes: Buffer, chance: Chance) => Buffer;

const at = (bytes: Buffer, chance: Chance): number => chance.below(bytes.length + 1);
const spliced = (bytes: Buffer, { from, to = from, piece }: { from: number; to?: number; piece: Buffer }): Buffer =>
  Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)]);

const CHANGES: Change[] = [
  (bytes, chance) => {
    const flipped = Buffer.from(bytes);
    if (flipped.length) {
      const index = chance.below(flipped.length);
      flipped[index] = (flipped[index] ?? 0) ^ (1 << chance.below(8));
    }
    return flipped;
  },
  (bytes, chance) => spliced(bytes, { from: at(bytes, chance), piece: Buffer.from(chance.one(PIECES)) }),
  (bytes, chance) => spliced(bytes, { from: at(bytes, chance), piece: chance.bytes(chance.below(8)) }),
  (bytes, chance) => {
    const from = at(bytes, chance);
    return spliced(bytes, { from, to: Math.min(bytes.length, from + chance.below(40)), piece: Buffer.alloc(0) });
  },
  (bytes, chance) => bytes.subarray(0, at(bytes, chance)),
  (bytes, chance) => {
    const from = at(bytes, chance);
    return spliced(bytes, { from, piece: bytes.subarray(from, from + chance.below(200)) });
  },
  (bytes) => Buffer.concat([bytes, Buffer.from('&'), bytes]),
];

/** Changed once, or a few times. */
export function mutated(bytes: Buffer, chance: Chance): Buffer {
  let changed = bytes;
  for (let times = 1 + chance.below(3); times > 0; times--) changed = chance.one(CHANGES)(changed, chance);
  return changed;
}

const ODD = [null, true, 0, -1, 1e300, '', 'x'.repeat(5000), '\ud800', '../..', [], {}, [[]], { id: 'U1' }];

/** JSON with one value somewhere in it replaced or gone, or a key added. */
export function mutatedJson(value: unknown, chance: Chance): unknown {
  if (typeof value !== 'object' || value === null || chance.below(5) === 0) return chance.one(ODD);
  const entries = Object.entries(value);
  if (!entries.length) return chance.one(ODD);
  const [key, inner] = chance.one(entries);
  const changes = [
    () => [...entries.filter(([name]) => name !== key)],
    () => [...entries, [chance.one(['__proto__', 'constructor', 'type', 'x']), chance.one(ODD)]],
    () => entries.map(([name, one]) => [name, name === key ? mutatedJson(inner, chance) : one]),
    () => entries.map(([name, one]) => [name, name === key ? mutatedJson(inner, chance) : one]),
  ];
  const next = chance.one(changes)();
  return Array.isArray(value) ? next.map(([, one]) => one) : Object.fromEntries(next);
}
