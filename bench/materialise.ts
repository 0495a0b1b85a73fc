/**
 * What a new Session costs: requests to the API server, counted in its audit log, and time. Events are handed to the
 * function directly, so that the figures are the function's and the API server's, without the eventing between them.
 */
import { join } from 'node:path';
import { bundle } from '../build/bundle.ts';
import { type Program, startProgram } from '../build/program.ts';
import { type Request, type Stage, setStage } from '../build/stage.ts';
import type { Stored } from '../lib/api/meta.ts';
import type { Session } from '../lib/api/session.ts';
import { UsageError } from './arguments.ts';
import { plainly } from './plain-loop.ts';
import { spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 10;
/** Made at once on a real API server; `--runs` says another number. */
const SESSIONS_ON_ENGINE = 1000;
/** As many as function `session` takes at a time (`containerConcurrency`). */
const BURST = 20;
const ACCEPTED = 202;
/** One read, one create a child, one report. */
const REQUESTS = [
  'get sessions',
  'create persistentvolumeclaims',
  'create secrets',
  'create networkpolicies',
  'create deployments',
  'patch sessions/status',
];

const functionOf = (stage: Stage): Promise<Program> =>
  startProgram([join(ROOT, 'dist/functions/session.cjs')], stage.envOf('session'));

/** Its children bear its name, and its Secret that name with more. */
const isAbout =
  (session: string) =>
  ({ objectRef: { name = '' } = { resource: '' } }: Request): boolean =>
    name === session || name.startsWith(`${session}-prompt-`);

const wordsOf = ({ verb, objectRef }: Request): string =>
  [`${verb} ${objectRef?.resource}`, objectRef?.subresource].filter(Boolean).join('/');

/** What the function asked for the Session, in its order. */
const askedFor = (stage: Stage, name: string): string[] => stage.requests('session').filter(isAbout(name)).map(wordsOf);

const wrongOf = (name: string, asked: string[]): string[] =>
  asked.join() === REQUESTS.join() ? [] : [`Session ${name} took ${asked.join(', ')}; not ${REQUESTS.join(', ')}`];

/** From the request for the Session to the one for its Deployment, milliseconds. */
function delayOf(stage: Stage, name: string): number {
  const at = (by: string, words: string) => {
    const request = stage.requests(by).find((one) => isAbout(name)(one) && wordsOf(one) === words);
    return request ? Date.parse(request.requestReceivedTimestamp) : Number.NaN;
  };
  return at('session', 'create deployments') - at('alice', 'create sessions');
}

async function deliver(stage: Stage, program: Program, session: Stored<Session>): Promise<void> {
  const status = await program.ask(stage.eventOf(session));
  if (status !== ACCEPTED)
    throw new Error(`the function answered the event of ${session.metadata.name} with ${status}`);
}

async function warm(stage: Stage, program: Program, name: string): Promise<void> {
  await deliver(stage, program, await stage.newSession(name));
}

async function cold(stage: Stage, name: string): Promise<void> {
  const session = await stage.newSession(name);
  const program = await functionOf(stage);
  await deliver(stage, program, session).finally(program.end);
}

const newSessions = (stage: Stage, prefix: string): Promise<Stored<Session>[]> =>
  Promise.all(Array.from({ length: BURST }, (_, at) => stage.newSession(`${prefix}-${at}`)));

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** A burst of events at once, and the plain loop, one Session after the other. */
async function burst(stage: Stage, program: Program, run: number): Promise<{ burst: number; loop: number }> {
  const [some, others] = [await newSessions(stage, `burst-${run}`), await newSessions(stage, `loop-${run}`)];
  return {
    burst: await timed(() => Promise.all(some.map((session) => deliver(stage, program, session)))),
    loop: await timed(async () => {
      const client = stage.as('session');
      for (const { metadata } of others) await plainly(client, metadata);
    }),
  };
}

async function measure(stage: Stage, program: Program, runs: number): Promise<Result> {
  const counted: string[] = [];
  const bursts: { burst: number; loop: number }[] = [];
  for (let run = 0; run < runs; run++) {
    await warm(stage, program, `warm-${run}`);
    await cold(stage, `cold-${run}`);
    bursts.push(await burst(stage, program, run));
    counted.push(`warm-${run}`, `cold-${run}`, ...Array.from({ length: BURST }, (_, at) => `burst-${run}-${at}`));
  }
  const asked = counted.map((name) => askedFor(stage, name));
  const delays = (which: string) => Array.from({ length: runs }, (_, run) => delayOf(stage, `${which}-${run}`));
  const [inBurst, inLoop] = [
    spread(
      bursts.map((one) => one.burst),
      'ms',
    ),
    spread(
      bursts.map((one) => one.loop),
      'ms',
    ),
  ];
  return {
    ratio: inBurst.median / inLoop.median,
    figures: {
      'requests for a new Session': spread(
        asked.map(({ length }) => length),
        'requests',
      ),
      'Session to Deployment, warm': spread(delays('warm'), 'ms'),
      'Session to Deployment, cold': spread(delays('cold'), 'ms'),
      [`burst of ${BURST}`]: inBurst,
      [`plain loop of ${BURST}`]: inLoop,
    },
    wrong: asked.flatMap((words, at) => wrongOf(counted[at] ?? '', words)),
  };
}

export const materialise: Bench = async ({ runs, engine }) => {
  if (engine === 'kubernetes')
    return (await import('./materialise-engine.ts')).materialiseOnEngine(runs ?? SESSIONS_ON_ENGINE);
  if (engine !== 'stand-in') throw new UsageError(`--engine takes stand-in or kubernetes, not ${engine}`);
  await bundle(ROOT);
  const stage = await setStage(ROOT);
  const program = await functionOf(stage);
  try {
    await warm(stage, program, 'warm-up');
    return await measure(stage, program, runs ?? RUNS);
  } finally {
    await program.end();
    await stage.close();
  }
};
