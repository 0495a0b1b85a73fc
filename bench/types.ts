/** What a measurement is. */
import type { Spread } from './statistics.ts';

export interface Options {
  /** How often each thing is measured; each measurement has its own default. */
  runs?: number;
  /** `up`: the demo as well. */
  demo: boolean;
  /** `up`: `npm test` as well. */
  test: boolean;
  /** `materialise`, `up`: what the requests go to, `stand-in` or `kubernetes`. */
  engine: string;
}

export interface Result {
  /** The figure to watch; to what, the list of measurements says. */
  ratio?: number;
  figures: Record<string, Spread | number>;
  /** Counts that are not what they must be, and limits that are passed; the machine is to have nothing else to do. */
  wrong: string[];
}

/** Throws `UsageError` for options that it can't do. */
export type Bench = (options: Options) => Promise<Result>;
