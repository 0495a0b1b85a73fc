/**
 * The program of the container that clones, the only one with the credentials to read the repository; it has ended when
 * the agent starts. What came of it is a file on the volume, and it exits 0 with a refusal too, so that the harness
 * comes up and tells it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../lib/kube/clock.ts';
import { cloneEnv } from '../env.ts';
import { runClone } from './run.ts';

const log = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(new Error('stopped')));
  const privateFolder = mkdtempSync(join(tmpdir(), 'git-'));
  try {
    await runClone(cloneEnv(), { privateFolder, clock: systemClock, signal: stop.signal, log });
  } finally {
    rmSync(privateFolder, { recursive: true, force: true });
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`clone: ${error.message}\n`);
    process.exit(1);
  },
);
