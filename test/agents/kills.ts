/**
 * One run of the long task under kills at seeded moments: what is killed (the harness, so the container; or the agent
 * alone), when, what came of it, and how long the agent took to say something again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from '../../agent/harness/process-group.ts';
import { timeBare } from './bare.ts';
import { DIALECT, type Spoken } from './dialect.ts';
import { lastStep, longTask, STEPS } from './long-task.ts';
import type { Turn } from './model/server.ts';
import { type Play, PROMPT, play, type Stage } from './stage.ts';

export interface Run {
  kills: number;
  /** How often the Session's prompt was sent as if it were new, beyond the first time. */
  promptsSentTwice: number;
  /** Steps that the model was told of and that are not in the file. */
  editsLost: number;
  /** Kill to the agent's next request to its model, milliseconds. */
  backMs: number[];
  /** Of these, from the kill to the start of the agent: the harness's part. */
  harnessMs: number[];
  /** The agent alone, without a harness, from its start to its next request in the same conversation. */
  bareMs: number[];
  /** How the Session ended. */
  end: string;
}

/** A small generator of numbers from 0 to 1: the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Plan {
  agent: Spoken;
  kills: number;
  random: () => number;
  /** What is killed at a kill. */
  victim: (kill: number) => 'harness' | 'agent';
}

/** Plays the task with at most `plan.kills` kills. Throws where it does not come to an end. */
export async function playWithKills(stage: Stage, plan: Plan): Promise<Run> {
  const script = longTask(DIALECT[plan.agent]);
  const played = await play(stage, { agent: plan.agent, script, options: { patienceMs: 120_000 } });
  const run: Run = { kills: 0, promptsSentTwice: 0, editsLost: 0, backMs: [], harnessMs: [], bareMs: [], end: '' };
  try {
    await played.pod.start();
    while (run.kills < plan.kills && !(await untilMoment(played, plan))) await killOnce(played, { plan, run });
    run.end = (await played.pod.finished()).reason ?? '';
    judge(played, run);
    await played.pod.end('SIGTERM');
    run.bareMs = await timeBare(stage, { agent: plan.agent, played });
    return run;
  } finally {
    await played.close();
  }
}

/** Waits for a random moment of a random step; true where the task is done before. */
async function untilMoment({ pod, model }: Play, { random, kills }: Plan): Promise<boolean> {
  const from = model.turns.length;
  const steps = Math.floor(random() * Math.min(3, Math.max(1, (2 * STEPS) / kills)));
  const isOver = () => pod.condition('Finished')?.status === 'True';
  await pod.until(() => model.turns.length > from + steps || isOver());
  await sleep(random() * 120);
  return isOver();
}

/** What the harness notes of the agent's process; nothing while there is none. */
function agentOf(folder: string): string {
  const file = join(folder, 'run', 'agent.pid');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

async function killOnce(played: Play, { plan, run }: { plan: Plan; run: Run }): Promise<void> {
  const { pod, model } = played;
  const before = agentOf(pod.folder);
  const at = performance.now();
  if (plan.victim(run.kills) === 'agent') killGroup(Number(before.split(' ')[0]));
  else {
    await pod.end('SIGKILL');
    // A container's processes end together.
    killGroup(Number(before.split(' ')[0]));
    await pod.start();
  }
  run.kills += 1;
  const isOver = () => pod.condition('Finished')?.status === 'True';
  await pod.until(() => ![before, ''].includes(agentOf(pod.folder)) || isOver());
  run.harnessMs.push(performance.now() - at);
  // What comes before may be the last that the killed one asked for.
  const had = model.turns.length;
  await pod.until(() => model.turns.length > had || isOver());
  const back = model.turns[had];
  if (back) run.backMs.push(back.at - at);
}

/** Counts what must not be. */
function judge({ pod, model }: Play, run: Run): void {
  const begun = new Set(model.turns.filter(isFresh).map(({ conversation }) => conversation));
  run.promptsSentTwice = Math.max(0, begun.size - 1) + Math.max(0, ...model.turns.map(repeats));
  const acknowledged = Math.max(0, ...model.turns.map(({ talk }) => lastStep(talk)));
  const list = new Set(pod.file('list').trim().split('\n').map(Number));
  run.editsLost = Array.from({ length: acknowledged }, (_, at) => at + 1).filter((one) => !list.has(one)).length;
}

const isPrompt = (text: string): boolean => text.trim() === PROMPT;

/** A conversation that begins with the prompt, without a word about work that was done before. */
const isFresh = ({ talk }: Turn): boolean => talk.said.length > 0 && isPrompt(talk.said[0] ?? '');

/** How often the prompt stands in a conversation beyond the first time. */
const repeats = ({ talk }: Turn): number => talk.said.filter(isPrompt).length - 1;
