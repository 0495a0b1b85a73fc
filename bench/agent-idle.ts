/**
 * What a Session costs that waits for a message: memory and processor of its harness, its tools and its agent (the
 * rehearsal) on the local cluster, beside a bare idle Node in the same window; and how large the packed images are.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bundle } from '../build/bundle.ts';
import { makeClient } from '../lib/kube/client.ts';
import { loadKubeconfig } from '../lib/kube/kubeconfig.ts';
import { SESSIONS } from '../lib/kube/types.ts';
import { IDLE_CPU_PERCENT, passed } from './limits.ts';
import type { Bench, Result } from './types.ts';
import { flagsOf, inHome, tiny } from './up.ts';

const ROOT = join(import.meta.dirname, '..');
const NAMESPACE = 'default';
/** No other's on this machine. */
const SESSION = `idler-${process.pid}`;
/** The kernel's ticks, a hundred a second. */
const TICKS = 100;
/** How long it is idle before it is measured: by then it looks for messages as seldom as it gets. */
const SETTLE_MS = 60_000;
const WINDOW_MS = 60_000;
const LIMIT_MS = 60_000;

/** Seconds of processor time, and resident megabytes, so far. */
interface Use {
  cpu: number;
  memory: number;
}

function useOf(pid: number): Use {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS, memory: Number(kilobytes) / 1024 };
}

/** The Session's process that runs this program of ours. */
function pidOf(program: string): number {
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && runs(name, program));
  const [pid] = found;
  if (pid === undefined || found.length > 1) throw new Error(`${found.length} processes run ${program}, not one`);
  return Number(pid);
}

function runs(pid: string, program: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return command[1]?.endsWith(`/${program}.cjs`) === true && variables.includes(`TINY_SESSION=${SESSION}`);
  } catch {
    return false;
  }
}

async function untilIdle(config: string): Promise<void> {
  const { config: cluster } = loadKubeconfig({ files: [config], now: Date.now });
  const client = makeClient({ ...cluster, fieldManager: 'bench' });
  const prompt = JSON.stringify([{ status: 'begun' }, { say: 'I wait' }]);
  const spec = { prompt, agent: { name: 'rehearsal' }, idle: { finishAfter: '2h' } };
  const metadata = { name: SESSION, namespace: NAMESPACE };
  await client.create(SESSIONS, { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', metadata, spec } as never);
  const fieldSelector = `metadata.name=${metadata.name}`;
  const signal = AbortSignal.timeout(LIMIT_MS);
  for await (const { object } of client.watch(SESSIONS, { namespace: NAMESPACE, fieldSelector, signal })) {
    if (object.status?.message === 'begun') return;
  }
  throw new Error(`the Session ${SESSION} said nothing within ${LIMIT_MS / 1000} s`);
}

export type Measured = Record<string, { memory: number; percent: number }>;

/** Of processes over a window of seconds. */
async function measure(pids: Record<string, number>, windowMs: number): Promise<Measured> {
  const before = Object.entries(pids).map(([name, pid]) => ({ name, pid, cpu: useOf(pid).cpu }));
  await setTimeout(windowMs);
  return Object.fromEntries(
    before.map(({ name, pid, cpu }) => {
      const now = useOf(pid);
      return [name, { memory: now.memory, percent: ((now.cpu - cpu) / (windowMs / 1000)) * 100 }];
    }),
  );
}

/** Bytes of each packed image, where there are any. */
function imageSizes(): Record<string, number> {
  const folder = join(ROOT, 'dist', 'images');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tar')) : [];
  return Object.fromEntries(names.map((name) => [`image ${name}, bytes`, statSync(join(folder, name)).size]));
}

/** Of measured processes; `bare` is the Node beside them. */
export function resultOf(measured: Measured, images: Record<string, number>): Result {
  const { bare = { memory: Number.NaN, percent: Number.NaN }, ...ours } = measured;
  const figures: Result['figures'] = { 'bare Node: memory, MB': bare.memory, 'bare Node: idle CPU, %': bare.percent };
  for (const [name, { memory, percent }] of Object.entries(ours)) {
    figures[`${name}: memory, MB`] = memory;
    figures[`${name}: memory, to a bare Node`] = memory / bare.memory;
    figures[`${name}: idle CPU, %`] = percent;
  }
  const limits = Object.entries(ours).map(([name, { percent }]) => ({
    what: `the idle CPU of ${name}`,
    value: percent - bare.percent,
    most: IDLE_CPU_PERCENT,
    unit: '%',
  }));
  const both = (ours['harness']?.memory ?? Number.NaN) + (ours['tools']?.memory ?? Number.NaN);
  return { ratio: both / bare.memory, figures: { ...figures, ...images }, wrong: passed(limits) };
}

export const agentIdle: Bench = async ({ engine }) => {
  const flags = flagsOf(engine);
  await bundle(ROOT);
  return inHome(async (home) => {
    await tiny(['up', ...flags], home);
    const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 2 ** 30)'], { stdio: 'ignore' });
    try {
      await untilIdle(join(home, 'config'));
      await setTimeout(SETTLE_MS);
      const [harness, tools] = [pidOf('harness'), pidOf('tools')];
      return resultOf(await measure({ bare: bare.pid ?? 0, harness, tools }, WINDOW_MS), imageSizes());
    } finally {
      bare.kill();
      await tiny(['down'], home);
    }
  });
};
