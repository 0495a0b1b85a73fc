/** What is fuzzed: a target takes chance and tries one input. It throws where what must hold does not. */
import type { Chance } from './chance.ts';

export interface Tried {
  /** Whether the input was taken for genuine; that is counted, so that a target which never gets that far is seen. */
  accepted: boolean;
}

export interface Target {
  name: string;
  /** What must hold of any input, in words. */
  holds: string;
  tryOne(chance: Chance): Tried | Promise<Tried>;
}

/** What must hold did not. The message says so; the run names the seed and the input's number. */
export class Broken extends Error {
  override name = 'Broken';
}
