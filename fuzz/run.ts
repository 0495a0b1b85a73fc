/** Runs a target many times. Each input has a seed of its own, so that one can be tried again alone. */
import { makeChance } from './chance.ts';
import type { Target } from './target.ts';

export interface Ran {
  name: string;
  inputs: number;
  accepted: number;
  /** What went wrong first, with the seed that does it again. */
  wrong?: string;
}

/** Stops at the first input for which what must hold does not, or that makes something else be thrown. */
export async function fuzz(target: Target, inputs: number, seed: number): Promise<Ran> {
  let accepted = 0;
  for (let input = 0; input < inputs; input++) {
    try {
      const tried = await target.tryOne(makeChance(seed + input));
      if (tried.accepted) accepted++;
    } catch (error) {
      const { name, message } = error as Error;
      return { name: target.name, inputs: input + 1, accepted, wrong: `${name}: ${message} (--seed ${seed + input})` };
    }
  }
  return { name: target.name, inputs, accepted };
}
