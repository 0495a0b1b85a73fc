/**
 * A pass of the sweep on a real API server: the function's own process, over Sessions that are as they should be, and over
 * some that are not. The ratio is to a plain loop that lists the same pages, which is the least that a pass can cost.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../build/bundle.ts';
import { type Program, startProgram } from '../build/program.ts';
import { each } from '../lib/kube/each.ts';
import { type Client, DEPLOYMENTS, PODS, QUESTIONS, SESSIONS } from '../lib/kube/types.ts';
import { reconcile } from '../lib/reconcile.ts';
import { sessions } from '../lib/session/plan.ts';
import { CHILDREN } from '../lib/sweep/out-of-step.ts';
import { tokenFor } from '../test/contract/asker.ts';
import { session } from '../test/contract/objects.ts';
import { startWorld, type World } from '../test/contract/world.ts';
import { atOnce } from './at-once.ts';
import { passed } from './limits.ts';
import { spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';

const ROOT = join(import.meta.dirname, '..');
const NAMESPACE = 'bench';
/** Converged Sessions, smaller first. */
const SIZES = [1000, 10_000] as const;
const BROKEN = 100;
/** A pass may take this much longer than listing, and its memory grow this much from the smaller to the larger size. */
const MOST = { ratio: 3, memory: 1.5 };
/** What a leader-elected controller writes by default: its lease, every two seconds. */
const LEASE_WRITES_PER_HOUR = 1800;
const PASSES_PER_HOUR = 12;
const PING = { headers: { 'ce-type': 'dev.knative.sources.ping' }, body: '' };

const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, at) => `s${from + at}`);

async function converged(world: World, from: number, to: number): Promise<void> {
  const [alice, client] = [world.as('alice'), world.functionClient('session')];
  await atOnce(20, names(from, to), async (name) => {
    await alice.create(SESSIONS, session(NAMESPACE, name));
    await reconcile(sessions, { namespace: NAMESPACE, name }, { client, now: () => new Date() });
  });
}

/** What any pass has to read. */
async function listAll(client: Client): Promise<void> {
  const ours = { labelSelector: 'app.kubernetes.io/managed-by=tiny' };
  const lists = [
    each(client, SESSIONS, { pageSize: 200 }),
    each(client, QUESTIONS),
    ...[...CHILDREN, PODS].map((type) => each(client, type, ours)),
  ];
  for (const list of lists) for await (const _ of list);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The most memory that a process has had, MB. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

interface Stage {
  world: World;
  envOf: (name: string) => Promise<Record<string, string>>;
  /** Requests of the sweep's account so far: all, and those that write. */
  asked: () => { all: number; writes: number };
}

async function setStage(folder: string, world: World): Promise<Stage> {
  const envOf = async (name: string) => {
    const credentials = mkdtempSync(join(folder, `${name}-`));
    writeFileSync(join(credentials, 'token'), await tokenFor(world.admin, `tiny-system/${name}`));
    writeFileSync(join(credentials, 'ca.crt'), world.engine.caPem);
    const { port } = new URL(world.engine.url);
    return {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: port,
      TINY_CREDENTIALS: credentials,
      LOG_LEVEL: 'warn',
    };
  };
  const asked = () => {
    const mine = world.audit().filter(({ user }) => user.username === 'system:serviceaccount:tiny-system:sweep');
    return { all: mine.length, writes: mine.filter(({ verb }) => verb !== 'list').length };
  };
  return { world, envOf, asked };
}

/** One pass in a process of its own. */
async function pass(stage: Stage, more: Record<string, string> = {}) {
  const program: Program = await startProgram([join(ROOT, 'dist/functions/sweep.cjs')], {
    ...(await stage.envOf('sweep')),
    ...more,
  });
  const before = stage.asked();
  try {
    const ms = await timed(async () => {
      const status = await program.ask(PING);
      if (status !== 202) throw new Error(`the sweep answered ${status}`);
    });
    const after = stage.asked();
    return { ms, peak: peakOf(program.pid), requests: after.all - before.all, writes: after.writes - before.writes };
  } finally {
    await program.end();
  }
}

type Pass = Awaited<ReturnType<typeof pass>>;

async function heal(stage: Stage): Promise<{ ms: number; healed: number }> {
  const { admin } = stage.world;
  await atOnce(20, names(0, BROKEN), (name) => admin.delete(DEPLOYMENTS, { namespace: NAMESPACE, name }));
  const bundleOf = join(ROOT, 'dist/functions/session.cjs');
  const program = await startProgram([bundleOf], await stage.envOf('session'));
  try {
    await program.ask({ headers: {}, body: '' });
    const { ms } = await pass(stage, { TINY_SESSION_URL: `http://127.0.0.1:${program.port}` });
    const found = await Promise.all(
      names(0, BROKEN).map((name) => admin.get(DEPLOYMENTS, { namespace: NAMESPACE, name })),
    );
    return { ms, healed: found.filter(Boolean).length };
  } finally {
    await program.end();
  }
}

interface Measured {
  passes: Pass[];
  listMs: number;
  healing: { ms: number; healed: number };
}

function resultOf({ passes, listMs, healing }: Measured): Result {
  const [small, large] = passes as [Pass, Pass];
  const ratio = large.ms / listMs;
  const memory = large.peak / small.peak;
  const writes = small.writes + large.writes;
  const figures = Object.fromEntries(
    SIZES.flatMap((size, at) => {
      const { ms, requests, peak } = passes[at] as Pass;
      const of = `${size} converged`;
      return [
        [`${of}: pass`, spread([ms], 'ms')],
        [`${of}: requests`, requests],
        [`${of}: most memory`, spread([peak], 'MB')],
      ];
    }),
  );
  return {
    ratio,
    figures: {
      ...figures,
      'plain listing of the larger': spread([listMs], 'ms'),
      [`${BROKEN} healed`]: spread([healing.ms], 'ms'),
      'API writes per idle hour': (writes / SIZES.length) * PASSES_PER_HOUR,
      'writes per hour of a leader lease': LEASE_WRITES_PER_HOUR,
    },
    wrong: [
      ...passed([
        { what: 'a pass, to a plain listing,', value: ratio, most: MOST.ratio, unit: '' },
        { what: 'memory at the larger size, to the smaller,', value: memory, most: MOST.memory, unit: '' },
      ]),
      ...(writes === 0 ? [] : [`a pass over what is as it should be wrote ${writes} times`]),
      ...(healing.healed === BROKEN ? [] : [`${healing.healed} of ${BROKEN} were healed in one pass`]),
    ],
  };
}

/** `npm run bench -- sweep`: needs a real kube-apiserver, and a few minutes to fill it. */
export const sweep: Bench = async () => {
  await bundle(ROOT);
  const folder = mkdtempSync(join(tmpdir(), 'tiny-bench-sweep-'));
  const world = await startWorld();
  try {
    await world.install(['rbac', 'rbac/policies']);
    await world.project(NAMESPACE);
    const stage = await setStage(folder, world);
    const passes: Pass[] = [];
    let done = 0;
    for (const size of SIZES) {
      await converged(world, done, size);
      done = size;
      passes.push(await pass(stage));
    }
    const lister = world.engine.clientOf(await tokenFor(world.admin, 'tiny-system/sweep'), 'bench');
    const listMs = await timed(() => listAll(lister));
    return resultOf({ passes, listMs, healing: await heal(stage) });
  } finally {
    await world.engine.stop();
    rmSync(folder, { recursive: true });
  }
};
