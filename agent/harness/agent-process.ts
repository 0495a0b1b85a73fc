/** The agent as a child process that speaks the protocol on its standard streams; what it says besides is kept for advice. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../lib/kube/clock.ts';

/** The agent can't be started, or ended before it answered. */
export class AgentError extends Error {
  override name = 'AgentError';
}

export interface AgentProcess {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Why it ended, with its last words. */
  exited: Promise<string>;
  /** Asks it to end, and after 3 s makes it. */
  end(): Promise<void>;
}

const GRACE_MS = 3000;
const KEPT_CHARACTERS = 2000;

export interface StartOptions {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  clock: Clock;
  log: (line: string) => void;
}

/** Starts an agent; a command that isn't there shows in `exited`. */
export function startAgent({ command, args, cwd, env, clock, log }: StartOptions): AgentProcess {
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS);
    for (const line of text.split('\n').filter(Boolean)) log(`agent: ${line}`);
  });
  // A write to an agent that is gone fails here; its exit is what is told.
  child.stdin.on('error', () => {});
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(whyNotStarted(command, error)));
    child.once('close', (code, signal) => {
      const words = said.trim() === '' ? '' : `; its last words: ${said.trim()}`;
      resolve(`the agent (${command}) ended with ${signal ?? `code ${code}`}${words}`);
    });
  });
  const end = async () => {
    child.stdin.end();
    child.kill('SIGTERM');
    await Promise.race([exited, clock.sleep(GRACE_MS).then(() => child.kill('SIGKILL'))]);
    await exited;
  };
  return { child, exited, end };
}

const whyNotStarted = (command: string, error: NodeJS.ErrnoException): string =>
  error.code === 'ENOENT'
    ? `the agent's command "${command}" is not in the container; use an image that has it (spec.agent.image), or say how the agent is started (spec.agent.command)`
    : `the agent's command "${command}" can't be started: ${error.message}`;
