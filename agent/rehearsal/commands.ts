/** Commands of a rehearsal, as children that end with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cutStart } from '../cut.ts';

export interface Place {
  cwd: string;
  env: Record<string, string>;
  signal: AbortSignal;
}

export interface Ran {
  code: number | null;
  output: string;
}

const KEPT_CHARACTERS = 16_384;
const running = new Set<ChildProcess>();

/** Ends what still runs, grandchildren included. */
export function endCommands(): void {
  for (const { pid } of running) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

/** Runs `command` with `args`, and gives its code and output. */
export function runCommand([command, ...args]: [string, ...string[]], { cwd, env, signal }: Place): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    signal.addEventListener('abort', endCommands, { once: true });
    let output = '';
    const take = (text: string) => {
      output = cutStart(output + text, KEPT_CHARACTERS);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code, output });
    });
  });
}

/** Commits everything, unless there is nothing to commit or no repository. A lock that a killed git left behind is removed. */
export async function commitAll(message: string, place: Place): Promise<Ran> {
  const lock = join(place.cwd, '.git', 'index.lock');
  if (existsSync(lock)) rmSync(lock, { force: true });
  const inside = await runCommand(['git', 'rev-parse', '--is-inside-work-tree'], place);
  if (inside.code !== 0) return { code: 0, output: 'no repository to commit to' };
  const added = await runCommand(['git', 'add', '--all'], place);
  if (added.code !== 0) return added;
  const staged = await runCommand(['git', 'diff', '--cached', '--quiet'], place);
  if (staged.code === 0) return { code: 0, output: 'nothing to commit' };
  return runCommand(['git', 'commit', '--quiet', '--no-verify', '-m', message], place);
}
