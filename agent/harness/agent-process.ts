/** The agent as a child process that speaks the protocol on its standard streams; what it says besides is kept for advice. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../lib/kube/clock.ts';
import { cutStart } from '../cut.ts';
import { wholeLines } from '../whole-lines.ts';
import { killGroup } from './process-group.ts';

/** The agent can't be started, or ended before it answered. */
export class AgentError extends Error {
  override name = 'AgentError';
  /** Whether another start may go well: it was killed, or slow. */
  readonly passes: boolean;

  constructor({ why, passes }: Ending) {
    super(why);
    this.passes = passes;
  }
}

export interface Ending {
  why: string;
  /** Whether it was ended from outside, or lacked what may be there soon: the next start may go well. */
  passes: boolean;
}

export interface AgentProcess {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Why it ended, with its last words. */
  exited: Promise<Ending>;
  /** Asks it to end, and after 3 s makes it. */
  end(): Promise<void>;
}

const GRACE_MS = 3000;
const KEPT_CHARACTERS = 2000;
/** A shell ends with this and the signal's number where its child was killed. */
const SIGNALLED = 128;
const SCARCE = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ETXTBSY'];

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
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  child.once('exit', () => killGroup(child.pid));
  let said = '';
  const lines = wholeLines((line) => log(`agent: ${line}`));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = cutStart(said + text, KEPT_CHARACTERS);
    lines.push(text);
  });
  child.stderr.once('end', lines.end);
  // A write to an agent that is gone fails here; its exit is what is told.
  child.stdin.on('error', () => {});
  let isOurDoing = false;
  const exited = new Promise<Ending>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(whyNotStarted(command, error)));
    child.once('close', (code, signal) => {
      const words = said.trim() === '' ? '' : `; its last words: ${said.trim()}`;
      const passes = !isOurDoing && (signal !== null || (code ?? 0) > SIGNALLED);
      resolve({ why: `the agent (${command}) ended with ${signal ?? `code ${code}`}${words}`, passes });
    });
  });
  const end = async () => {
    isOurDoing ||= child.exitCode === null && child.signalCode === null;
    child.stdin.end();
    child.kill('SIGTERM');
    await Promise.race([exited, clock.sleep(GRACE_MS).then(() => killGroup(child.pid))]);
    await exited;
  };
  return { child, exited, end };
}

const whyNotStarted = (command: string, error: NodeJS.ErrnoException): Ending => ({
  passes: SCARCE.includes(error.code ?? ''),
  why:
    error.code === 'ENOENT'
      ? `the agent's command "${command}" is not in the container; use an image that has it (spec.agent.image), or say how the agent is started (spec.agent.command)`
      : `the agent's command "${command}" can't be started: ${error.message}`,
});
