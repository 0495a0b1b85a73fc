/**
 * Bundles what runs without this repository: functions and the programs of a session's pod, as CommonJS (an ESM import
 * of a Node module costs 25–45 ms of cold start). Function NAME is three files: `NAME.cjs`, which an image runs,
 * `NAME.bundle.cjs`, and what V8 compiled of it, `NAME.bundle.cache`. Makes nothing anew where nothing changed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { compileAhead } from './compile-cache.ts';
import { slim } from './slim.ts';

/** Names of the functions. */
export const FUNCTIONS = ['session', 'question', 'sweep', 'slack', 'github', 'dead-letters'];
const AGENT = {
  harness: 'agent/harness/main.ts',
  tools: 'agent/tools/main.ts',
  clone: 'agent/clone/main.ts',
  connect: 'agent/connect/main.ts',
  reader: 'agent/reader/main.ts',
  rehearsal: 'agent/rehearsal/main.ts',
};

const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  minify: true,
  keepNames: true,
  outExtension: { '.js': '.cjs' },
  logLevel: 'warning',
};

/** A function's start counts: without `keepNames`, which calls a helper for each function that is defined. */
const cold: BuildOptions = { ...common, keepNames: false, plugins: [slim] };

const functions = Object.fromEntries(
  FUNCTIONS.flatMap((name) => [
    [name, 'functions/start.ts'],
    [`${name}.bundle`, `functions/${name}.ts`],
  ]),
);

/** Bundles into `dist/functions` and `dist/agent` below `root`, and compiles the functions ahead. */
export async function bundle(root: string): Promise<void> {
  mkdirSync(join(root, 'dist'), { recursive: true });
  await Promise.all([
    build({ ...cold, absWorkingDir: root, entryPoints: functions, outdir: 'dist/functions' }),
    build({ ...common, absWorkingDir: root, entryPoints: AGENT, outdir: 'dist/agent' }),
  ]);
  try {
    await compileAhead(root, FUNCTIONS);
  } catch (error) {
    process.stderr.write(`the functions start slowly, as they could not be compiled ahead: ${error}\n`);
  }
}

if (import.meta.main) await bundle(process.cwd());
