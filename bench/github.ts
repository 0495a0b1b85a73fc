/**
 * How long function `github` takes from spawn to the end of a delivery that makes a Session, beside a bare `node:http`
 * server; how long a warm one takes; and whether a burst of one delivery makes one Session.
 */
import { join } from 'node:path';
import { bundle } from '../build/bundle.ts';
import { fakeGitHub, githubEnv, newLabel } from '../build/github-stage.ts';
import { type Ask, EMPTY, startProgram } from '../build/program.ts';
import { PROJECT, type Stage, setStage } from '../build/stage.ts';
import { SESSIONS } from '../lib/kube/types.ts';
import { start } from './process.ts';
import { median, pairwise, spread } from './statistics.ts';
import type { Bench } from './types.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 15;
const WARM = 50;
const BURST = 20;
const BARE = join(import.meta.dirname, 'bare-server.cjs');
const GITHUB = join(ROOT, 'dist/functions/github.cjs');

interface Warm {
  ms: number[];
  /** Sessions that a burst of one delivery has made. */
  sessions: number;
}

const countOf = async (stage: Stage) => (await stage.as('alice').list(SESSIONS, { namespace: PROJECT })).items.length;

async function warm(stage: Stage, env: Record<string, string>): Promise<Warm> {
  const program = await startProgram([GITHUB], env);
  const timed = async (ask: Ask): Promise<number> => {
    const began = performance.now();
    await program.ask(ask);
    return performance.now() - began;
  };
  try {
    await program.ask(newLabel(10_000));
    const ms: number[] = [];
    for (let at = 1; at <= WARM; at++) ms.push(await timed(newLabel(10_000 + at)));
    const before = await countOf(stage);
    const one = newLabel(20_000);
    await Promise.all(Array.from({ length: BURST }, () => program.ask(one)));
    return { ms, sessions: (await countOf(stage)) - before };
  } finally {
    await program.end();
  }
}

/** The measurement. */
export const github: Bench = async ({ runs = RUNS }) => {
  await bundle(ROOT);
  const stage = await setStage(ROOT);
  try {
    const env = { ...stage.envOf('github'), ...(await githubEnv(stage.folder, await fakeGitHub())) };
    const rounds = [];
    for (let at = 0; at <= runs; at++)
      rounds.push({ bare: await start(BARE, {}, EMPTY), cold: await start(GITHUB, env, newLabel(at + 1)) });
    const measured = rounds.slice(1);
    const made = await countOf(stage);
    const { ms, sessions } = await warm(stage, env);
    const [bare, cold] = [measured.map((one) => one.bare.ms), measured.map((one) => one.cold.ms)];
    return {
      ratio: median(cold) / median(bare),
      figures: {
        'bare server': spread(bare, 'ms'),
        'function, a label that starts a Session': spread(cold, 'ms'),
        'to bare': pairwise(cold, bare),
        'the same, warm': spread(ms, 'ms'),
        'memory, function': spread(
          measured.map((one) => one.cold.memory),
          'MB',
        ),
      },
      wrong: [
        ...(made === rounds.length ? [] : [`${rounds.length} labels made ${made} Sessions`]),
        ...(sessions === 1 ? [] : [`one delivery ${BURST} times at once made ${sessions} Sessions`]),
      ],
    };
  } finally {
    await stage.close();
  }
};
