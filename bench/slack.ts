/**
 * How long a press in Slack takes until it is acknowledged, which here is after it was carried out: with function `slack`
 * at zero, and up. And of many presses, some sent again at the same time, whether one is lost or done twice: each is on a
 * Question of its own, and the audit log has each answer.
 */
import { join } from 'node:path';
import { bundle } from '../build/bundle.ts';
import { type Ask, EMPTY, type Program, startProgram } from '../build/program.ts';
import { newPress, newQuestion, pressOn, slackEnv } from '../build/slack-stage.ts';
import { PROJECT, type Stage, setStage } from '../build/stage.ts';
import type { Question } from '../lib/api/question.ts';
import { QUESTIONS } from '../lib/kube/types.ts';
import { FakeSlack } from './fake-slack.ts';
import { COLD_START, passed } from './limits.ts';
import { start } from './process.ts';
import { median, pairwise, spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 15;
const BARE = join(import.meta.dirname, 'bare-server.cjs');
const SLACK = join(ROOT, 'dist/functions/slack.cjs');
const PRESSES = 1000;
/** Presses under way at once. */
const AT_ONCE = 20;
/** Every so manieth press is sent four times at once: Slack's first, and three that it repeats. */
const REPEATED = 10;

interface Round {
  bare: { ms: number };
  unsigned: { ms: number; status: number };
  press: { ms: number; status: number };
}

export interface Counted {
  presses: number;
  acknowledged: number;
  answered: number;
  /** Answers that the API server took. */
  writes: number;
  /** Things said in private, of which a press that works needs none. */
  whispers: number;
}

export interface Measured {
  rounds: Round[];
  warm: number[];
  seconds: number;
  counted: Counted;
}

const wrongOf = ({ rounds, counted }: Measured): string[] => [
  ...rounds.flatMap(({ unsigned, press }) => [
    ...(unsigned.status === 401 ? [] : [`what is not signed was answered with ${unsigned.status}`]),
    ...(press.status === 200 ? [] : [`a press was answered with ${press.status}`]),
  ]),
  ...(counted.acknowledged === counted.presses ? [] : [`${counted.acknowledged} of ${counted.presses} acknowledged`]),
  ...(counted.answered === PRESSES ? [] : [`${PRESSES - counted.answered} Questions lost their answer`]),
  ...(counted.writes === PRESSES ? [] : [`${counted.writes} answers were written for ${PRESSES} Questions`]),
  ...(counted.whispers === 0 ? [] : [`${counted.whispers} complaints were made`]),
];

const at = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

/** Pure. */
export function slackResult(measured: Measured): Result {
  const { rounds, warm, seconds, counted } = measured;
  const ms = (which: keyof Round) => rounds.map((one) => one[which].ms);
  const ratio = median(ms('unsigned')) / median(ms('bare'));
  return {
    ratio,
    figures: {
      'bare server': spread(ms('bare'), 'ms'),
      'function, cold': spread(ms('unsigned'), 'ms'),
      'function, cold, to bare': pairwise(ms('unsigned'), ms('bare')),
      'press to acknowledgement, cold': spread(ms('press'), 'ms'),
      'press to acknowledgement, warm': spread(warm, 'ms'),
      'the slowest hundredth, warm': at(warm, 0.99),
      presses: counted.presses,
      'presses a second': counted.presses / seconds,
      answers: counted.writes,
    },
    wrong: [...wrongOf(measured), ...passed([{ what: 'the ratio', value: ratio, most: COLD_START, unit: '' }])],
  };
}

const timed = async (program: Program, ask: Ask): Promise<{ ms: number; status: number }> => {
  const began = performance.now();
  const status = await program.ask(ask);
  return { ms: performance.now() - began, status };
};

/** Does `work` for each, so many at once. */
async function each<T>(items: readonly T[], work: (item: T, at: number) => Promise<unknown>): Promise<void> {
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) await work(item, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** All presses on one process. */
async function pressAll(stage: Stage, program: Program): Promise<{ statuses: number[]; seconds: number }> {
  const questions: Question[] = [];
  await each(Array.from({ length: PRESSES }), async (_, index) => {
    questions.push(await newQuestion(stage, `q-${index}`));
  });
  const statuses: number[] = [];
  const began = performance.now();
  await each(questions, async (question, index) => {
    const ask = pressOn(question);
    const times = index % REPEATED === 0 ? 4 : 1;
    statuses.push(...(await Promise.all(Array.from({ length: times }, () => program.ask(ask)))));
  });
  return { statuses, seconds: (performance.now() - began) / 1000 };
}

async function count(stage: Stage, statuses: readonly number[], slack: FakeSlack): Promise<Counted> {
  const { items } = await stage.as('alice').list(QUESTIONS, { namespace: PROJECT });
  const many = ({ metadata: { name } }: Question) => name.startsWith('q-');
  const writes = stage.requests('slack').filter(({ verb, objectRef, responseStatus }) => {
    const { name = '' } = objectRef ?? {};
    return verb === 'patch' && name.startsWith('q-') && responseStatus.code < 300;
  });
  return {
    presses: statuses.length,
    acknowledged: statuses.filter((status) => status === 200).length,
    answered: items.filter((one) => many(one) && one.spec.answer?.option === 'allow').length,
    writes: writes.length,
    whispers: slack.whispers.length,
  };
}

async function measure(
  stage: Stage,
  slack: FakeSlack,
  { url, runs }: { url: string; runs: number },
): Promise<Measured> {
  const env = { ...stage.envOf('slack'), ...slackEnv(stage.folder, url) };
  const round = async (name: string): Promise<Round> => ({
    bare: await start(BARE, {}, EMPTY),
    unsigned: await start(SLACK, env, EMPTY),
    press: await start(SLACK, env, await newPress(stage, name)),
  });
  await round('warm-up');
  const rounds: Round[] = [];
  for (let index = 1; index <= runs; index++) rounds.push(await round(`run-${index}`));
  const program = await startProgram([SLACK], env);
  try {
    const warm: number[] = [];
    for (let index = 0; index < 100; index++)
      warm.push((await timed(program, await newPress(stage, `warm-${index}`))).ms);
    const { statuses, seconds } = await pressAll(stage, program);
    return { rounds, warm: warm.slice(10), seconds, counted: await count(stage, statuses, slack) };
  } finally {
    await program.end();
  }
}

export const slack: Bench = async ({ runs = RUNS }) => {
  await bundle(ROOT);
  const stage = await setStage(ROOT);
  const fake = new FakeSlack();
  const { url, server } = await fake.listen();
  try {
    return slackResult(await measure(stage, fake, { url, runs }));
  } finally {
    server.close();
    await stage.close();
  }
};
