/**
 * What a Session's pod costs while it has nothing to do: memory and processor time of harness and tools, whose agent waits for
 * a message. The ratio is their memory to that of two bare Nodes in the same run: what of it is ours.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bundle } from '../build/bundle.ts';
import { EMPTY } from '../build/program.ts';
import { findCondition } from '../lib/api/conditions.ts';
import type { Session } from '../lib/api/session.ts';
import { makeClient } from '../lib/kube/client.ts';
import { loadKubeconfig } from '../lib/kube/kubeconfig.ts';
import { type Client, SESSIONS } from '../lib/kube/types.ts';
import { IDLE_PERCENT, passed } from './limits.ts';
import { memoryOf, start } from './process.ts';
import { median, spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';
import { inHome, tiny } from './up.ts';

const ROOT = join(import.meta.dirname, '..');
const BARE = join(ROOT, 'bench/bare-server.cjs');
const RUNS = 3;
const NAMESPACE = 'default';
const LIMIT_MS = 60_000;
/** Before it is looked at: it looks for messages less and less often, each 15 s in the end. */
const SETTLE_MS = 20_000;
const LOOK_MS = 30_000;
/** Of the counters in /proc: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

const PARTS = ['harness', 'tools'] as const;
type Part = (typeof PARTS)[number];

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
};

function processOf(part: Part, uid: string): number {
  const pid = readdirSync('/proc').find(
    (one) =>
      read(one, 'cmdline').includes(`/${part}.cjs`) && read(one, 'environ').includes(`TINY_SESSION_UID=${uid}\0`),
  );
  if (!pid) throw new Error(`no ${part} runs`);
  return Number(pid);
}

/** Processor time so far, seconds. */
function secondsOf(pid: number): number {
  const stat = read(String(pid), 'stat');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / TICKS_A_SECOND;
}

interface Look {
  memory: number;
  /** Of one core. */
  percent: number;
}

async function lookAt(pid: number): Promise<Look> {
  const [before, began] = [secondsOf(pid), performance.now()];
  await setTimeout(LOOK_MS);
  const seconds = (performance.now() - began) / 1000;
  return { memory: memoryOf(pid), percent: (100 * (secondsOf(pid) - before)) / seconds };
}

/** A Session whose agent has done its turn and waits for a message. */
async function idleSession(client: Client): Promise<string> {
  const spec = {
    prompt: '[]',
    agent: { name: 'rehearsal' },
    idle: { finishAfter: '24h' },
  } as unknown as Session['spec'];
  const metadata = { name: 'idle', namespace: NAMESPACE };
  await client.create<Session>(SESSIONS, { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', metadata, spec });
  const signal = AbortSignal.timeout(LIMIT_MS);
  for await (const { object } of client.watch(SESSIONS, { namespace: NAMESPACE, signal }))
    if (findCondition(object, 'Ready')?.reason === 'Idle') return object.metadata.uid;
  throw new Error(`no Session was idle within ${LIMIT_MS / 1000} s`);
}

export type Round = Record<Part, Look> & { bare: number };

async function round(): Promise<Round> {
  const { memory: bare } = await start(BARE, {}, EMPTY);
  return inHome(async (home) => {
    await tiny(['up'], home);
    try {
      const { config } = loadKubeconfig({ files: [join(home, 'config')], now: Date.now });
      const uid = await idleSession(makeClient({ ...config, fieldManager: 'bench' }));
      await setTimeout(SETTLE_MS);
      const [harness, tools] = await Promise.all(PARTS.map((part) => lookAt(processOf(part, uid))));
      if (!harness || !tools) throw new Error('nothing was looked at');
      return { harness, tools, bare };
    } finally {
      await tiny(['down'], home);
    }
  });
}

/** Of measured rounds. */
export function resultOf(rounds: readonly Round[]): Result {
  const of = (part: Part, field: keyof Look) => rounds.map((one) => one[part][field]);
  const bare = rounds.map((one) => one.bare);
  return {
    ratio: median(rounds.map(({ harness, tools, bare: one }) => (harness.memory + tools.memory) / (2 * one))),
    figures: {
      'harness: memory': spread(of('harness', 'memory'), 'MB'),
      'tools: memory': spread(of('tools', 'memory'), 'MB'),
      'a bare Node: memory': spread(bare, 'MB'),
      'harness: of a core, idle': spread(of('harness', 'percent'), '%'),
      'tools: of a core, idle': spread(of('tools', 'percent'), '%'),
    },
    wrong: passed(
      PARTS.map((part) => ({
        what: `what ${part} takes of a core while idle`,
        value: median(of(part, 'percent')),
        most: IDLE_PERCENT,
        unit: '%',
      })),
    ),
  };
}

export const pod: Bench = async ({ runs = RUNS }) => {
  await bundle(ROOT);
  const rounds: Round[] = [];
  for (let at = 0; at < runs; at++) rounds.push(await round());
  return resultOf(rounds);
};
