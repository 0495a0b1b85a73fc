/**
 * How long the bundle of function `session` takes from spawn to its first answer, and a bare `node:http` server in turn
 * with it: to no event at all, which is answered at once, and to one that makes a Session's objects.
 */
import { join } from 'node:path';
import { bundle } from '../build/bundle.ts';
import { EMPTY } from '../build/program.ts';
import { type Stage, setStage } from '../build/stage.ts';
import { COLD_START, passed } from './limits.ts';
import { type Start, start } from './process.ts';
import { median, pairwise, spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 15;
const BARE = join(import.meta.dirname, 'bare-server.cjs');
const SESSION = join(ROOT, 'dist/functions/session.cjs');

/** One of each. */
async function round(stage: Stage, name: string) {
  const env = stage.envOf('session');
  const event = stage.eventOf(await stage.newSession(name));
  return {
    bare: await start(BARE, {}, EMPTY),
    refused: await start(SESSION, env, EMPTY),
    made: await start(SESSION, env, event),
  };
}

export type Rounds = Awaited<ReturnType<typeof round>>[];

const wrongOf = (rounds: Rounds): string[] =>
  rounds.flatMap(({ refused, made }) => [
    ...(refused.status === 400 ? [] : [`no event was answered with ${refused.status}, not 400`]),
    ...(made.status === 202 ? [] : [`an event was answered with ${made.status}, not 202`]),
  ]);

/** Of measured rounds. */
export function resultOf(rounds: Rounds): Result {
  const ms = (which: 'bare' | 'refused' | 'made') => rounds.map((one) => one[which].ms);
  const memory = (which: 'bare' | 'refused' | 'made') =>
    rounds.map((one: Record<string, Start>) => one[which]?.memory ?? 0);
  const [bare, refused, made] = [ms('bare'), ms('refused'), ms('made')];
  const ratio = median(refused) / median(bare);
  return {
    ratio,
    figures: {
      'bare server': spread(bare, 'ms'),
      'function, no event': spread(refused, 'ms'),
      'function, no event, to bare': pairwise(refused, bare),
      'function, a new Session': spread(made, 'ms'),
      'function, a new Session, to bare': pairwise(made, bare),
      'memory, bare server': spread(memory('bare'), 'MB'),
      'memory, function, no event': spread(memory('refused'), 'MB'),
      'memory, function, a new Session': spread(memory('made'), 'MB'),
    },
    wrong: [...wrongOf(rounds), ...passed([{ what: 'the ratio', value: ratio, most: COLD_START, unit: '' }])],
  };
}

export const coldStart: Bench = async ({ runs = RUNS }) => {
  await bundle(ROOT);
  const stage = await setStage(ROOT);
  try {
    await round(stage, 'warm-up');
    const rounds: Rounds = [];
    for (let at = 1; at <= runs; at++) rounds.push(await round(stage, `run-${at}`));
    return resultOf(rounds);
  } finally {
    await stage.close();
  }
};
