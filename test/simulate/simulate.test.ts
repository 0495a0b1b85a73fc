import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { historyOf, type Step } from './history.ts';
import { play, shorten } from './run.ts';
import { type Started, startSimulation } from './world.ts';

let started: Started;
beforeAll(async () => {
  started = await startSimulation('stand-in');
});
afterAll(() => started?.stop());

describe('two sweeps put right whatever was lost, doubled, late or killed', () => {
  // More of them, and longer ones: npm run simulate.
  test.each([1])('in the history of seed %i', async (seed) => {
    expect(await play(started.world, `sim-${seed}`, historyOf(seed, 120))).toEqual([]);
  });
});

test('the same seed gives the same history', () => expect(historyOf(7, 50)).toEqual(historyOf(7, 50)));

test('a history that fails is shortened to the steps that make it fail', async () => {
  const history = historyOf(3, 200);
  const [first, second] = [history[40], history[150]] as [Step, Step];
  const shortest = await shorten(history, async (steps) => steps.includes(first) && steps.includes(second));
  expect(shortest).toEqual([first, second]);
});
