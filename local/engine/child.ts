/**
 * One program of the engine. It ends with this process, even where that is killed: a shell in between holds a pipe to
 * it and sends SIGTERM when the pipe breaks. A pid file lets the next start end what survived even so.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { send } from '../node/process.ts';

/** The first command waits at the pipe; `$$` is the shell, which then becomes the program. */
const SHELL =
  '(read -r _ <&3; kill -TERM $$) 2>/dev/null & { read -r s </proc/$$/stat; } 2>/dev/null; echo "$$ $s" >"$0"; exec "$@" 3<&-';

export interface Child {
  name: string;
  /** Resolves, with the end of its log, when it has ended. */
  exited: Promise<string>;
  /** SIGTERM, and SIGKILL after `graceMs`; resolves when it is gone. */
  end(graceMs: number): Promise<void>;
}

const lastLines = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n');

/** Says who runs the program NAME of the engine in `folder`, as `node/leftover.ts` reads it. */
export const pidFileOf = (folder: string, name: string): string => join(folder, `${name}.pid`);

/** Starts `program` in `folder`, where `NAME.log` is its output. */
export function startChild(program: string, args: readonly string[], folder: string): Child {
  const name = basename(program);
  const [pidFile, logFile] = [pidFileOf(folder, name), join(folder, `${name}.log`)];
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn('/bin/sh', ['-c', SHELL, pidFile, program, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  });
  closeSync(log);
  const pipe = child.stdio[3] as Socket;
  pipe.on('error', () => pipe.destroy());
  pipe.unref();
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', () => resolve(lastLines(logFile)));
  }).then((said) => {
    pipe.destroy();
    rmSync(pidFile, { force: true });
    return said;
  });
  const end = async (graceMs: number) => {
    const { pid } = child;
    if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    send(pid, 'SIGTERM');
    const killing = setTimeout(() => send(pid, 'SIGKILL'), graceMs);
    await exited;
    clearTimeout(killing);
  };
  return { name, exited, end };
}
