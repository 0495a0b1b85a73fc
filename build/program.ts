/** A server in a process of its own, as the compile cache and the measurements run it: started, asked, ended cleanly. */
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { freePort, isListening } from '../local/functions/port.ts';

/** A POST. */
export interface Ask {
  headers: Record<string, string>;
  body: string;
}

export interface Program {
  pid: number;
  port: number;
  /** When it was started, on the clock of `performance.now()`. */
  began: number;
  /** The status of the answer; waits until the server listens. Throws where the process has ended. */
  ask(ask: Ask): Promise<number>;
  /** Asks it to end, and waits until it has. */
  end(): Promise<void>;
}

/** No event at all: answered with 400. */
export const EMPTY: Ask = { headers: { 'content-type': 'application/json' }, body: '{}' };

/** Seldom enough not to take the processor from what is measured. */
const STEP_MS = 2;

const post = (port: number, { headers, body }: Ask): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject).end(body);
  });

/** Starts node with `args`, and with `env` and PORT as its whole environment. What it says on stderr is passed on. */
export async function startProgram(args: string[], env: Record<string, string> = {}): Promise<Program> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ask = async (what: Ask) => {
    while (!(await isListening(port))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${args.join(' ')} ended before it answered`);
      await setTimeout(STEP_MS);
    }
    return post(port, what);
  };
  const end = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return { pid: child.pid ?? 0, port, began, ask, end };
}
