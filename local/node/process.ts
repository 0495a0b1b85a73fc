/**
 * One process: started in a group of its own, with its output in a file (not a pipe), so that it outlives this
 * program unharmed. A shell writes the pid file before it becomes the program, so that no kill of this program
 * leaves a process that nobody knows of. `node/leftover.ts` reads the pid file.
 */
import { type StdioOptions, spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';

export interface Launch {
  command: string[];
  env: Record<string, string>;
  cwd: string;
  logFile: string;
  pidFile: string;
  /** Whether something may be sent to it; else its input is empty. */
  stdin?: boolean;
}

/** `code` is 128 + the signal's number where a signal ended the process, as a shell counts. */
export interface Exit {
  code: number;
  signal?: number;
}

export interface Running {
  pid: number;
  /** Where it was asked for. */
  stdin: Writable | undefined;
  exited: Promise<Exit>;
  /** SIGTERM to the process alone, as a container's first process gets it; SIGKILL to its group after `graceMs`. A later call may shorten. */
  end(graceMs: number): void;
}

/** The pid and, on Linux, the process's line in /proc, which has its start time. */
const SHELL = '{ read -r s </proc/$$/stat; } 2>/dev/null; echo "$$ $s" >"$0"; exec "$@"';

/** Sends a signal (0: none) to a process or (negative) its group; whether it was there. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

const exitOf = (code: number | null, signal: NodeJS.Signals | null): Exit => {
  const number = signal === null ? undefined : constants.signals[signal];
  return number === undefined ? { code: code ?? 1 } : { code: 128 + number, signal: number };
};

/** A command that cannot be started exits with 126, 127 or 128, and says why in its log. */
export function launch({ command, env, cwd, logFile, pidFile, stdin }: Launch): Running {
  const log = openSync(logFile, 'a', 0o600);
  // There from the beginning, since a log's reader takes a missing one for the end.
  writeFileSync(pidFile, '');
  const stdio: StdioOptions = [stdin ? 'pipe' : 'ignore', log, log];
  const child = spawn('/bin/sh', ['-c', SHELL, pidFile, ...command], { cwd, env, detached: true, stdio });
  // A write to a process that is gone fails here; its exit is what is told.
  child.stdin?.on('error', () => {});
  closeSync(log);
  const { pid } = child;
  let killing: NodeJS.Timeout | undefined;
  let isOver = false;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitOf(code, signal)));
    child.once('error', (error) => {
      appendFileSync(logFile, `cannot start ${command[0]}: ${error.message}\n`);
      resolve({ code: 128 });
    });
  }).then((exit) => {
    isOver = true;
    clearTimeout(killing);
    if (pid !== undefined) send(-pid, 'SIGKILL');
    rmSync(pidFile, { force: true });
    return exit;
  });
  const end = (graceMs: number) => {
    if (isOver || pid === undefined) return;
    clearTimeout(killing);
    if (graceMs <= 0) return void send(-pid, 'SIGKILL');
    if (killing === undefined) send(pid, 'SIGTERM');
    killing = setTimeout(() => send(-pid, 'SIGKILL'), graceMs);
  };
  return { pid: pid ?? 0, stdin: child.stdin ?? undefined, exited, end };
}
