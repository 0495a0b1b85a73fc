/** Chance from a seed, so that what was found is found again. Nothing of it is for secrets. */

export interface Chance {
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number;
  one<T>(of: readonly T[]): T;
  bytes(length: number): Buffer;
}

/** mulberry32: 32 bits of state, and good enough to vary inputs. */
export function makeChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    one: (of) => of[below(of.length)] as (typeof of)[number],
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}
