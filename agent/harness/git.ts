/**
 * git as a child process: an argument array and no shell, no prompt on a terminal, only network protocols. A
 * credential is read by git itself from the mounted Secret and never stands in an argument, a URL or the clone's
 * configuration.
 */
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
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
  signal?: AbortSignal;
}

const ALWAYS = { GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'http:https:ssh', LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };

/** What git printed. Throws `GitError`. */
export function git(args: readonly string[], { cwd, env, signal }: GitOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      env: { ...env, ...ALWAYS },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd !== undefined && { cwd }),
      ...(signal && { signal }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-16_384);
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(stdout) : reject(new GitError(args.find((arg) => !arg.startsWith('-')) ?? '', code, stderr)),
    );
  });
}

/** How git finds the credentials of one repository: configuration for it alone, and environment for SSH. */
export interface GitCredentials {
  config: [key: string, value: string][];
  env: Record<string, string>;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Credentials from `folder`, a mounted Secret with `username` and `password` or `ssh-privatekey`, for the host of
 * `url` alone. OpenSSH refuses a key that others may read, so it is copied into `run`, a folder in memory.
 */
export function gitCredentials(folder: string | undefined, url: string, run: string): GitCredentials {
  if (folder === undefined) return { config: [], env: {} };
  if (existsSync(join(folder, 'ssh-privatekey')))
    return { config: [], env: { GIT_SSH_COMMAND: sshCommand(folder, run) } };
  if (!/^https?:/.test(url)) return { config: [], env: {} };
  const read = (key: string, otherwise: string) => `cat ${quote(join(folder, key))} 2>/dev/null || echo ${otherwise}`;
  const say = (key: string, otherwise: string) => `echo "${key}=$(${read(key, otherwise)})"`;
  const helper = `!f() { test "$1" = get && { ${say('username', 'x-access-token')}; ${say('password', '')}; }; }; f`;
  return { config: [[`credential.${new URL(url).origin}.helper`, helper]], env: {} };
}

function sshCommand(folder: string, run: string): string {
  const key = join(run, 'ssh-key');
  if (!existsSync(key)) copyFileSync(join(folder, 'ssh-privatekey'), key);
  chmodSync(key, 0o600);
  return `ssh -i ${quote(key)} -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=${quote(join(run, 'known-hosts'))}`;
}
