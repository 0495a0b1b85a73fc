/**
 * The pod's programs as bundles, made once for all test files and runs: kept under a name that follows from their
 * sources, with what V8 compiled of them, because most of what these tests cost is the start of processes.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const CACHE = 'node_modules/.cache/tiny-agent';
const SOURCES = ['agent/**/*.ts', 'lib/**/*.ts', 'package-lock.json'];

const entryPoints = Object.fromEntries(
  ['harness', 'connect', 'rehearsal'].map((program) => [program, `agent/${program}/main.ts`]),
);

function sumOfSources(): string {
  const sum = createHash('sha256');
  for (const path of globSync(SOURCES).sort()) sum.update(`${path}\n`).update(readFileSync(path));
  return sum.digest('hex').slice(0, 16);
}

/** The folder of the programs, which stays for the next run; those of other sources are removed. */
export async function programs(): Promise<string> {
  const sum = sumOfSources();
  const folder = join(process.cwd(), CACHE, sum);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE))
    if (!name.startsWith('.')) rmSync(join(CACHE, name), { recursive: true, force: true });
  const half = mkdtempSync(join(CACHE, '.half-'));
  await build({
    entryPoints,
    outdir: half,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    logLevel: 'error',
  });
  try {
    renameSync(half, folder);
  } catch {
    // Another test file was first.
    rmSync(half, { recursive: true });
  }
  return folder;
}
