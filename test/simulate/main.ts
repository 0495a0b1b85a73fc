/**
 * `npm run simulate -- [--seeds N] [--from SEED] [--steps N] [--engine stand-in|kubernetes] [--json]`: plays random
 * histories with events lost, doubled and reordered, and functions killed, and looks whether two sweeps put all right.
 */
import { parseArgs } from 'node:util';
import type { World } from '../contract/world.ts';
import { historyOf, type Step } from './history.ts';
import { play, shorten } from './run.ts';
import { startSimulation } from './world.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: '500' },
    engine: { type: 'string', default: 'stand-in' },
    json: { type: 'boolean', default: false },
  },
});

class UsageError extends Error {}

function count(option: 'seeds' | 'from' | 'steps'): number {
  const number = Number(values[option]);
  if (!Number.isInteger(number) || number < 1) throw new UsageError(`--${option} takes a number from 1`);
  return number;
}

const say = (text: string) => void process.stderr.write(`${text}\n`);

let plays = 0;
/** Why it fails; `undefined` where it does not. */
async function attempt(world: World, history: readonly Step[]): Promise<string | undefined> {
  try {
    const [wrong] = await play(world, `sim-${++plays}`, history);
    return wrong;
  } catch (error) {
    return String(error);
  }
}

interface Failure {
  seed: number;
  why: string;
  shortest: Step[];
}

async function fail(world: World, seed: number, { why, history }: { why: string; history: Step[] }): Promise<Failure> {
  say(`seed ${seed} fails: ${why}; it is being shortened`);
  const shortest = await shorten(history, async (shorter) => (await attempt(world, shorter)) !== undefined);
  for (const one of shortest) say(`  ${JSON.stringify(one)}`);
  return { seed, why, shortest };
}

async function main(): Promise<void> {
  const [seeds, from, steps] = [count('seeds'), count('from'), count('steps')];
  const { engine } = values;
  if (engine !== 'stand-in' && engine !== 'kubernetes') throw new UsageError('--engine takes stand-in or kubernetes');
  const { world, stop } = await startSimulation(engine);
  const failures: Failure[] = [];
  const began = performance.now();
  try {
    for (let seed = from; seed < from + seeds; seed++) {
      const history = historyOf(seed, steps);
      const why = await attempt(world, history);
      if (why) failures.push(await fail(world, seed, { why, history }));
      if (!values.json) say(`${seed - from + 1} of ${seeds} seeds played`);
    }
  } finally {
    await stop();
  }
  const result = {
    seeds,
    steps,
    engine,
    failed: failures.length,
    seconds: (performance.now() - began) / 1000,
  };
  process.stdout.write(values.json ? `${JSON.stringify({ ...result, failures })}\n` : `${JSON.stringify(result)}\n`);
  process.exitCode = failures.length ? 1 : 0;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  say(`error: ${error.message}`);
  process.exitCode = 2;
}
