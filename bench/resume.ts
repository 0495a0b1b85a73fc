/**
 * What a kill costs a real agent: each is killed at random moments of a task of 30 steps, in turn alone and with its
 * container, while the fake model server counts what it is told twice. The harness's part is what is left of the time to the
 * agent's next request when the agent's own start, measured in the same run without a harness, is taken away.
 */
import type { Spoken } from '../test/agents/dialect.ts';
import { playWithKills, type Run, seeded } from '../test/agents/kills.ts';
import { findAgents, type Stage, setStage } from '../test/agents/stage.ts';
import { UsageError } from './arguments.ts';
import { inherited } from './env.ts';
import { passed, RESUME_MS } from './limits.ts';
import { median, spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';

const AGENTS: Spoken[] = ['claude-code', 'codex'];
const KILLS = 4;
/** One turn is resumed ten times at most. */
const KILLS_A_RUN = 8;
const SEED = 20_261_130;

async function killed(stage: Stage, agent: Spoken, kills: number): Promise<Run[]> {
  const random = seeded(SEED);
  const runs: Run[] = [];
  for (let done = 0; done < kills; ) {
    const run = await playWithKills(stage, {
      agent,
      kills: Math.min(KILLS_A_RUN, kills - done),
      random,
      victim: (kill) => ((done + kill) % 2 === 0 ? 'harness' : 'agent'),
    });
    runs.push(run);
    done += run.kills;
    process.stderr.write(`${agent}: ${done} of ${kills} kills\n`);
  }
  return runs;
}

const sum = (runs: Run[], of: (run: Run) => number): number => runs.reduce((all, run) => all + of(run), 0);

/** Of one agent's runs. */
export function resultOf(agent: string, runs: Run[]): Result {
  const back = runs.flatMap(({ backMs }) => backMs);
  const bare = runs.flatMap(({ bareMs }) => bareMs);
  const beyond = median(back) - median(bare);
  const [twice, lost] = [sum(runs, (run) => run.promptsSentTwice), sum(runs, (run) => run.editsLost)];
  const ends = runs.filter(({ end }) => end !== 'Completed').map(({ end }) => end);
  return {
    figures: {
      [`${agent}: kills`]: sum(runs, ({ kills }) => kills),
      [`${agent}: prompts sent twice`]: twice,
      [`${agent}: edits lost`]: lost,
      [`${agent}: kill to next request`]: spread(back, 'ms'),
      [`${agent}: kill to its start (the harness)`]: spread(
        runs.flatMap(({ harnessMs }) => harnessMs),
        'ms',
      ),
      [`${agent}: alone, start to next request`]: spread(bare, 'ms'),
      [`${agent}: beyond its own start, of the medians`]: beyond,
    },
    wrong: [
      ...(twice > 0 ? [`${agent}: ${twice} prompts were sent twice`] : []),
      ...(lost > 0 ? [`${agent}: ${lost} edits were lost`] : []),
      ...ends.map((end) => `${agent}: a Session ended as ${end || 'nothing'}`),
      ...passed([{ what: `${agent}: the time beyond its own start`, value: beyond, most: RESUME_MS, unit: 'ms' }]),
    ],
  };
}

export const resume: Bench = async ({ runs: kills = KILLS }) => {
  const found = await findAgents(inherited);
  if ('missing' in found) throw new UsageError(`the agents can't be installed: ${found.missing}`);
  const stage = await setStage(found.bin, inherited['PATH'] ?? '');
  try {
    const results: Result[] = [];
    for (const agent of AGENTS) results.push(resultOf(agent, await killed(stage, agent, kills)));
    return {
      figures: Object.assign({}, ...results.map(({ figures }) => figures)),
      wrong: results.flatMap(({ wrong }) => wrong),
    };
  } finally {
    await stage.close();
  }
};
