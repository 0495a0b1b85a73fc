/** The edge of the command: the real streams, clock, signals and exit. All else is `run`. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Deps } from './app.ts';
import type { Environment } from './env.ts';
import { EXIT } from './failure.ts';
import { run } from './run.ts';

/** A reader that went away (`tiny ls | head -1`) ends the command without a word. */
function endQuietlyWhenNobodyReads(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed));
}

/** The first Ctrl-C asks to stop, the second ends at once. */
function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  });
  return controller.signal;
}

function makeDeps(invoked: string): Deps {
  let environment: Promise<Environment> | undefined;
  const readEnv = () => {
    environment ??= import('./env.ts').then(({ readEnvironment }) => readEnvironment());
    return environment;
  };
  return {
    program: invoked.startsWith('kubectl-') ? 'kubectl tiny' : 'tiny',
    readEnv,
    now: () => new Date(),
    random: (count) => randomBytes(count),
    connect: async (where) => (await import('./connect.ts')).connect(where, await readEnv()),
    readFile: (path) => readFile(path),
    fetch: (...request) => fetch(...request),
    signal: untilInterrupted(),
  };
}

/** Runs the command that this process was started for, and ends the process. `invoked` is the name it was started by. */
export async function main(invoked: string): Promise<void> {
  endQuietlyWhenNobodyReads(process.stdout);
  endQuietlyWhenNobodyReads(process.stderr);
  const code = await run(process.argv.slice(2), process, makeDeps(invoked));
  process.stdout.write('', () => process.exit(code));
}

if (import.meta.main) await main('tiny');
