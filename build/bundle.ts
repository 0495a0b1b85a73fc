/**
 * Bundles what runs without this repository: functions and the programs of a session's pod, one CommonJS file each
 * (an ESM import of a Node module costs 25–45 ms of cold start). Writes nothing where nothing changed.
 */
import { mkdirSync } from 'node:fs';
import { type BuildOptions, build } from 'esbuild';

const FUNCTIONS = { session: 'functions/session.ts', question: 'functions/question.ts' };
const AGENT = {
  harness: 'agent/harness/main.ts',
  tools: 'agent/tools/main.ts',
  connect: 'agent/connect/main.ts',
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

/** Bundles into `dist/functions` and `dist/agent` below `root`. */
export async function bundle(root: string): Promise<void> {
  mkdirSync(`${root}/dist`, { recursive: true });
  await Promise.all([
    build({ ...common, absWorkingDir: root, entryPoints: FUNCTIONS, outdir: 'dist/functions' }),
    build({ ...common, absWorkingDir: root, entryPoints: AGENT, outdir: 'dist/agent' }),
  ]);
}

if (import.meta.main) await bundle(process.cwd());
