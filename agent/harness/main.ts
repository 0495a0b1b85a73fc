/**
 * The harness's program: wires the loop to the pod it runs in. It exits 0 on SIGTERM, and 1 where it can't work at
 * all (its environment, the lock, the volume), so that the pod is restarted and says so.
 */
import { join } from 'node:path';
import { type Clock, systemClock } from '../../lib/kube/clock.ts';
import { serverClock } from '../../lib/kube/server-clock.ts';
import { type HarnessEnv, harnessEnv } from '../env.ts';
import { lockPatiently } from '../lock.ts';
import { readSecrets } from '../secrets.ts';
import { observe } from '../transcript/observe.ts';
import { storeIn } from '../transcript/store.ts';
import { openTranscript, type Transcript } from '../transcript/transcript.ts';
import { serveBundles } from './bundle-server.ts';
import { openAgent } from './edges.ts';
import { runHarness } from './harness.ts';
import { openJournal } from './journal.ts';
import { makeMeter } from './meter.ts';
import { makePermits } from './permits.ts';
import { planIn } from './plan-progress.ts';
import { readPrompt } from './prompt.ts';
import { makePulse } from './pulse.ts';
import { cloneIn } from './real-path.ts';
import { makeReporter, type Reporter } from './reporter.ts';
import { finished } from './telling.ts';
import { toolsClient } from './tools-client.ts';
import { bundlesOf, cloneStep, resultStep } from './work-tree.ts';

/** How long the last report may take after SIGTERM; the pod's grace period is 30 s. */
const FLUSH_MS = 5000;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const env = harnessEnv();
  const stop = new AbortController();
  const hurry = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(new Error('stopped')));
  if (!(await lockPatiently(env.state, { clock: systemClock, signal: stop.signal, log: print }))) return;
  const transcript = beginTranscript(env);
  const clock = serverClock(systemClock);
  const tools = toolsClient(join(env.run, 'harness.sock'), clock.heard);
  const reporter = makeReporter(tools, { clock, signal: hurry.signal }, transcript.note);
  await work(env, { stop: stop.signal, clock, tools, reporter, transcript });
  transcript.close();
  const late = setTimeout(() => hurry.abort(new Error('the pod ends')), FLUSH_MS);
  await reporter.flush();
  clearTimeout(late);
}

/** What is said in the Session from now on goes onto the volume and onto standard output. */
function beginTranscript(env: HarnessEnv): Transcript {
  const store = storeIn(join(env.state, env.sessionUid, 'transcript'));
  const transcript = openTranscript({ store, print, now: () => new Date(), secrets: readSecrets(env.secrets) });
  transcript.tell({ type: 'start', session: env.session, uid: env.sessionUid, agent: env.config.agent.name });
  return transcript;
}

interface Wiring {
  stop: AbortSignal;
  clock: Clock;
  tools: ReturnType<typeof toolsClient>;
  reporter: Reporter;
  transcript: Transcript;
}

async function work(env: HarnessEnv, { stop, clock, reporter, transcript, ...wiring }: Wiring): Promise<void> {
  const prompt = readPrompt(env.promptFile, env.promptSha256);
  const log = transcript.note;
  if (!prompt.ok) {
    log(prompt.message);
    reporter.tell(finished({ reason: 'Failed', message: prompt.message }));
    return new Promise((resolve) => {
      const alive = setInterval(() => {}, 2 ** 30);
      stop.addEventListener('abort', () => resolve(clearInterval(alive)), { once: true });
    });
  }
  const opened = openJournal(join(env.state, env.sessionUid, 'journal.jsonl'));
  const { journal, tools } = observe({ journal: opened, tools: wiring.tools }, transcript, prompt.text);
  const { config } = env;
  const pulse = makePulse(clock.now);
  const meter = makeMeter();
  const common = { journal, tools, reporter, clock, log };
  const permits = makePermits({
    ...common,
    session: env.session,
    approvals: config.approvals,
    place: cloneIn(env.workspace),
  });
  if (config.repository) await serveBundles(bundlesOf(env, journal));
  await runHarness({
    ...common,
    pulse,
    meter,
    config,
    task: prompt.text,
    stop,
    clone: cloneStep(env, log),
    result: resultStep(env, journal),
    converse: openAgent(env, {
      permits,
      log,
      status: (message) => reporter.tell({ message }),
      record: (update) => {
        pulse.beat();
        transcript.update(update);
        meter.take(update);
        const plan = planIn(update);
        if (plan) reporter.tell({ plan });
      },
    }),
  });
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`harness: ${error.message}\n`);
    process.exit(1);
  },
);
