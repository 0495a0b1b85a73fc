/**
 * The pod's programs as bundles, made once for all test files and runs: kept under a name that follows from their
 * sources, with what V8 compiled of them, because most of what these tests cost is the start of processes.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
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

const DAY_MS = 24 * 60 * 60 * 1000;

/** Those of a run that goes on elsewhere stay: a run begins with a new date. */
function removeUnused(): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** The folder of the programs, which stays for the next run; those that no run has used for a day are removed. */
export async function programs(): Promise<string> {
  const sum = sumOfSources();
  const folder = join(process.cwd(), CACHE, sum);
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  mkdirSync(CACHE, { recursive: true });
  removeUnused();
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
