/**
 * How long `tiny up` takes until the cluster is ready, in a folder of its own that stands for the person's home; with
 * `--demo`, how long the whole story takes as well, and with `--test`, `npm test`. With `--engine kubernetes` the API server is a real one, from the cache.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../build/bundle.ts';
import { UsageError } from './arguments.ts';
import { cache, path } from './env.ts';
import { DEMO_SECONDS, passed, TEST_SECONDS, UP_SECONDS } from './limits.ts';
import { median, pairwise, spread } from './statistics.ts';
import type { Bench, Result } from './types.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 7;
const DEMO_RUNS = 3;

async function node(args: string[], home: string): Promise<{ ms: number; out: string }> {
  const env = {
    HOME: home,
    XDG_DATA_HOME: join(home, 'share'),
    XDG_CACHE_HOME: cache,
    KUBECONFIG: join(home, 'config'),
    PATH: path,
  };
  const began = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: ROOT }).catch((cause) => {
    throw new Error(`${args.join(' ')} failed: ${cause.stderr || cause.message}`, { cause });
  });
  return { ms: performance.now() - began, out: stdout };
}

/** Runs the command in `home`. */
export const tiny = (args: string[], home: string) => node([join(ROOT, 'bin/tiny'), ...args], home);

/** A folder that stands for a person's home while `work` lasts. */
export async function inHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'tb-'));
  try {
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Round = Awaited<ReturnType<ReturnType<typeof round>>>;

/** A bare start of Node, `tiny up` where nothing was, and again where the data is there. */
const round = (flags: string[]) => () =>
  inHome(async (home) => {
    const bare = await node(['-e', '0'], home);
    try {
      const first = await tiny(['up', ...flags], home);
      await tiny(['down'], home);
      const again = await tiny(['up', ...flags], home);
      return { bare: bare.ms, first: first.ms, again: again.ms };
    } finally {
      await tiny(['down'], home);
    }
  });

const demo = (flags: string[]) => () =>
  inHome(async (home) => {
    const { out } = await tiny(['demo', '--json', ...flags], home);
    return JSON.parse(out) as { ok: boolean; seconds: number; running?: { pods: number; functions: number } };
  });

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < count; at++) results.push(await work());
  return results;
}

type Part = Pick<Result, 'figures' | 'wrong'>;
type Told = Awaited<ReturnType<ReturnType<typeof demo>>>;

export function demoResult(told: readonly Told[]): Part {
  const left = told.filter(({ ok, running }) => !ok || running?.pods !== 0 || running.functions !== 0);
  return {
    figures: {
      demo: spread(
        told.map(({ seconds }) => seconds),
        's',
      ),
    },
    wrong: [
      ...left.map(({ ok, running }) => `the demo ended with ok ${ok}, running ${JSON.stringify(running)}`),
      ...passed([
        { what: 'the demo', value: median(told.map(({ seconds }) => seconds)), most: DEMO_SECONDS, unit: 's' },
      ]),
    ],
  };
}

/** `npm test`, once: it takes as long as many runs of the rest. */
async function testSeconds(): Promise<{ seconds: number; code: number }> {
  const began = performance.now();
  const child = spawn('npm', ['test'], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  const [code] = await once(child, 'exit');
  return { seconds: (performance.now() - began) / 1000, code: code ?? FAILED };
}

const FAILED = 1;

export const testResult = ({ seconds, code }: { seconds: number; code: number }): Part => ({
  figures: { 'npm test': spread([seconds], 's') },
  wrong: [
    ...(code === 0 ? [] : [`npm test ended with ${code}`]),
    ...passed([{ what: 'npm test', value: seconds, most: TEST_SECONDS, unit: 's' }]),
  ],
});

/** What `tiny up` took, and what was measured besides. */
export function upResult(rounds: readonly Round[], engine: string, parts: readonly Part[]): Result {
  const [bare, first, again] = (['bare', 'first', 'again'] as const).map((which) => rounds.map((one) => one[which]));
  const value = median(first ?? []);
  const limit = { what: 'tiny up', value: value / 1000, most: UP_SECONDS[engine] ?? 0, unit: 's' };
  return {
    ratio: value / median(bare ?? []),
    figures: {
      'bare start of Node': spread(bare ?? [], 'ms'),
      'tiny up': spread(first ?? [], 'ms'),
      'tiny up, to bare': pairwise(first ?? [], bare ?? []),
      'tiny up, again': spread(again ?? [], 'ms'),
      ...Object.assign({}, ...parts.map(({ figures }) => figures)),
    },
    wrong: [...passed([limit]), ...parts.flatMap(({ wrong }) => wrong)],
  };
}

/** Throws `UsageError` for one that there is not. */
export function flagsOf(engine: string): string[] {
  if (!['stand-in', 'kubernetes'].includes(engine))
    throw new UsageError(`--engine takes stand-in or kubernetes, not ${engine}`);
  return ['--engine', engine];
}

export const up: Bench = async ({ runs, demo: withDemo, test: withTest, engine }) => {
  const flags = flagsOf(engine);
  await bundle(ROOT);
  const rounds = await times(runs ?? RUNS, round(flags));
  const parts: Part[] = [];
  if (withDemo) parts.push(demoResult(await times(runs ?? DEMO_RUNS, demo(flags))));
  if (withTest) parts.push(testResult(await testSeconds()));
  return upResult(rounds, engine, parts);
};
