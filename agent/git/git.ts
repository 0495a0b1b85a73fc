/**
 * git as a child process: an argument array and no shell, no prompt on a terminal, only network protocols, and no
 * configuration of the machine or a user but what is handed over. In a repository that an agent can write to, its own
 * configuration still holds: there git runs only where the agent may run anything anyway.
 */
import { spawn } from 'node:child_process';
import { cutStart } from '../cut.ts';

/** git ended with a code other than 0. */
export class GitError extends Error {
  override name = 'GitError';
  readonly stderr: string;

  constructor(command: string, code: number | null, stderr: string) {
    super(`git ${command} ended with ${code ?? 'a signal'}: ${cutStart(stderr.trim(), 2000)}`);
    this.stderr = stderr;
  }
}

export interface GitOptions {
  cwd?: string;
  env: Record<string, string>;
  /** A file's descriptor for the standard input. Default: nothing. */
  stdin?: number;
  /** Of what is printed, the first so many characters are kept. Default: all. */
  limit?: number;
  signal?: AbortSignal;
}

const ALWAYS = { GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'http:https:ssh', LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };

/** An environment in which nothing but `configuration`, a file, configures git. `home` holds nothing else. */
export const cleanEnvironment = (path: string, { home, configuration }: { home: string; configuration: string }) => ({
  PATH: path,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: configuration,
});

/** What git printed. Throws `GitError`. */
export function git(
  args: readonly string[],
  { cwd, env, stdin, signal, limit = Number.POSITIVE_INFINITY }: GitOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      env: { ...env, ...ALWAYS },
      stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
      ...(cwd !== undefined && { cwd }),
      ...(signal && { signal }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < limit) stdout += text.slice(0, limit - stdout.length);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-16_384);
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(stdout) : reject(new GitError(args.find((arg) => !arg.startsWith('-')) ?? '', code, stderr)),
    );
  });
}
