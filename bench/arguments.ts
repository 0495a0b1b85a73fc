/** The command line of the measurements: pure. */
import { parseArgs } from 'node:util';
import type { Options } from './types.ts';

export interface Asked extends Options {
  /** Absent: a list is wanted. */
  name?: string;
  json: boolean;
}

function runsOf(text: string | undefined): { runs?: number } {
  if (text === undefined) return {};
  const runs = Number(text);
  if (!Number.isInteger(runs) || runs < 1) throw new TypeError(`--runs takes a number from 1, not ${text}`);
  return { runs };
}

/** Throws `TypeError` for what can't be understood. */
export function parseArguments(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      runs: { type: 'string' },
      demo: { type: 'boolean', default: false },
      engine: { type: 'string', default: 'stand-in' },
    },
  });
  const [name, ...more] = positionals;
  if (more.length > 0) throw new TypeError(`one measurement at a time, not also ${more.join(', ')}`);
  const { json, demo, engine, runs } = values;
  return { json, demo, engine, ...runsOf(runs), ...(name !== undefined && { name }) };
}
