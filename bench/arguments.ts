/** The command line of the measurements: pure. */
import { parseArgs } from 'node:util';
import type { Options } from './types.ts';

/** What is asked for can't be understood, or not be done. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export interface Asked extends Options {
  /** Absent: a list is wanted. */
  name?: string;
  json: boolean;
}

function runsOf(text: string | undefined): { runs?: number } {
  if (text === undefined) return {};
  const runs = Number(text);
  if (!Number.isInteger(runs) || runs < 1) throw new UsageError(`--runs takes a number from 1, not ${text}`);
  return { runs };
}

const OPTIONS = {
  json: { type: 'boolean', default: false },
  runs: { type: 'string' },
  demo: { type: 'boolean', default: false },
  test: { type: 'boolean', default: false },
  engine: { type: 'string', default: 'stand-in' },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Throws `UsageError`. */
export function parseArguments(args: readonly string[]): Asked {
  const { values, positionals } = parse(args);
  const [name, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`one measurement at a time, not also ${more.join(', ')}`);
  const { json, demo, test, engine, runs } = values;
  return { json, demo, test, engine, ...runsOf(runs), ...(name !== undefined && { name }) };
}
