/**
 * How long it takes from an answer to the next word of the agent whose Session sleeps: two events, two functions from zero,
 * a pod, an agent that loads its conversation. Beside it in the same run stand a new Session up to its agent's first word,
 * and an answer to an agent that is awake. The agent is the rehearsal, which has no model to wait for.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bundle } from '../build/bundle.ts';
import { findCondition, isTrue } from '../lib/api/conditions.ts';
import type { Stored } from '../lib/api/meta.ts';
import type { Session } from '../lib/api/session.ts';
import { makeClient } from '../lib/kube/client.ts';
import { loadKubeconfig } from '../lib/kube/kubeconfig.ts';
import { type Client, QUESTIONS, SESSIONS } from '../lib/kube/types.ts';
import { askControl } from '../local/control.ts';
import { passed, WAKE } from './limits.ts';
import { median, pairwise, spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';
import { flagsOf, inHome, tiny } from './up.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 5;
const NAMESPACE = 'default';
const LIMIT_MS = 60_000;
/** An agent that is awake looks for its answer less and less often; this long into the wait it does twice a second. */
const AWAKE_MS = 2000;

interface Stage {
  client: Client;
  /** Resolves once no function runs. */
  atZero: () => Promise<void>;
}

/** The Session as soon as it is so. */
async function until(
  client: Client,
  name: string,
  is: (session: Stored<Session>) => boolean,
): Promise<Stored<Session>> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  for await (const { object } of client.watch(SESSIONS, {
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${name}`,
    signal,
  })) {
    if (is(object)) return object;
  }
  throw new Error(`Session ${name} did not come to where it was to be within ${LIMIT_MS / 1000} s`);
}

const says =
  (message: string) =>
  ({ status }: Session): boolean =>
    status?.message === message;

/** Milliseconds from the act to what it leads to. */
async function timed(act: () => Promise<unknown>, then: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  await then();
  return performance.now() - began;
}

function make(client: Client, name: string, idle: object): Promise<Stored<Session>> {
  const prompt = JSON.stringify([{ status: 'begun' }, { ask: { text: 'Go on?' } }, { status: 'woken' }]);
  const spec = { prompt, agent: { name: 'rehearsal' }, idle } as Session['spec'];
  const metadata = { name, namespace: NAMESPACE };
  return client.create(SESSIONS, { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', metadata, spec });
}

/** From the answer to the agent's next word. */
async function answered(client: Client, session: string): Promise<number> {
  const { items } = await client.list(QUESTIONS, { namespace: NAMESPACE, fieldSelector: `spec.session=${session}` });
  const { name = '' } = items[0]?.metadata ?? {};
  const body = { spec: { answer: { text: 'yes' } } };
  return timed(
    () => client.patch(QUESTIONS, { namespace: NAMESPACE, name }, { type: 'merge', body }),
    () => until(client, session, says('woken')),
  );
}

const isAsleep = (session: Session): boolean => findCondition(session, 'Suspended')?.reason === 'Idle';

async function round({ client, atZero }: Stage, run: number) {
  const [sleeper, waker] = [`sleeper-${run}`, `waker-${run}`];
  await atZero();
  const begins = await timed(
    () => make(client, sleeper, { suspendAfter: '1s' }),
    () => until(client, sleeper, says('begun')),
  );
  await until(client, sleeper, isAsleep);
  await atZero();
  const asleep = await answered(client, sleeper);
  await make(client, waker, {});
  await until(client, waker, (session) => isTrue(session, 'Waiting'));
  await setTimeout(AWAKE_MS);
  const awake = await answered(client, waker);
  return { begins, asleep, awake };
}

export type Rounds = Awaited<ReturnType<typeof round>>[];

/** Of measured rounds. */
export function resultOf(rounds: Rounds): Result {
  const [begins, asleep, awake] = (['begins', 'asleep', 'awake'] as const).map((which) =>
    rounds.map((one) => one[which]),
  ) as [number[], number[], number[]];
  const ratio = median(asleep) / median(begins);
  return {
    ratio,
    figures: {
      'answer to the next word, asleep': spread(asleep, 'ms'),
      'new Session to the first word': spread(begins, 'ms'),
      'asleep, to a new Session': pairwise(asleep, begins),
      'answer to the next word, awake': spread(awake, 'ms'),
    },
    wrong: passed([{ what: 'the ratio', value: ratio, most: WAKE, unit: '' }]),
  };
}

export const wake: Bench = async ({ runs = RUNS, engine }) => {
  const flags = flagsOf(engine);
  await bundle(ROOT);
  return inHome(async (home) => {
    await tiny(['up', '--idle', '1', ...flags], home);
    try {
      const { config } = loadKubeconfig({ files: [join(home, 'config')], now: Date.now });
      const client = makeClient({ ...config, fieldManager: 'bench' });
      const atZero = async () => {
        while ((await askControl(join(home, 'share/tiny'))).functions.length > 0) await setTimeout(50);
      };
      const rounds: Rounds = [];
      for (let run = 0; run < runs; run++) rounds.push(await round({ client, atZero }, run));
      return resultOf(rounds);
    } finally {
      await tiny(['down'], home);
    }
  });
};
