/**
 * The real agents, for tests and measurements: what agent/presets pins, installed by `npm ci` into a cache outside the tree,
 * under a name that follows from the lock. Without a registry there are none, and the reason is told.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export type RealAgent = 'claude-code' | 'codex' | 'gemini' | 'opencode';

export interface Packages {
  /** Where the agents' commands are. */
  bin: string;
  /** Milliseconds that the installation took; 0 where it was there. */
  tookMs: number;
}

const PRESETS = join(import.meta.dirname, '..', 'agent', 'presets');
/** Half a gigabyte for one agent, over a slow line. */
const INSTALL_MS = 8 * 60_000;

export interface Around {
  /** Where caches are. */
  cache: string;
  /** What npm runs with; this Node is put first on its path. */
  env: NodeJS.ProcessEnv;
}

/** The agents of `names`, installed unless they are there. Throws with npm's last words where that fails. */
export async function agentPackages({ cache, env }: Around, names: readonly RealAgent[]): Promise<Packages> {
  const lock = readFileSync(join(PRESETS, 'package-lock.json'));
  const sum = createHash('sha256').update(lock).update(names.join()).digest('hex').slice(0, 16);
  const folder = join(cache, 'agents', sum);
  const bin = join(folder, 'node_modules', '.bin');
  if (existsSync(folder)) return { bin, tookMs: 0 };
  const began = performance.now();
  mkdirSync(join(cache, 'agents'), { recursive: true });
  const half = mkdtempSync(join(cache, 'agents', '.half-'));
  try {
    await install(half, { names, env });
    renameSync(half, folder);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return { bin, tookMs: performance.now() - began };
}

type Wanted = Pick<Around, 'env'> & { names: readonly RealAgent[] };

async function install(folder: string, { names, env }: Wanted): Promise<void> {
  const files = ['package.json', 'package-lock.json', '.npmrc'];
  const all: RealAgent[] = ['claude-code', 'codex', 'gemini', 'opencode'];
  for (const file of [...files, ...all.map((name) => join(name, 'package.json'))]) {
    cpSync(join(PRESETS, file), join(folder, file));
  }
  const path = [dirname(process.execPath), env['PATH']].join(delimiter);
  const workspaces = names.flatMap((name) => ['--workspace', name]);
  await promisify(execFile)(
    'npm',
    ['ci', '--no-audit', '--loglevel=error', '--fetch-retries=1', '--fetch-timeout=60000', ...workspaces],
    {
      cwd: folder,
      env: { ...env, PATH: path },
      timeout: INSTALL_MS,
    },
  );
}
