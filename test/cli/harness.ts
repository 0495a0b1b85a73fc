/** Runs the command in this process against a fake cluster, and keeps what it printed. */
import { Buffer } from 'node:buffer';
import type { Deps, Io } from '../../cli/app.ts';
import { parseEnvironment } from '../../cli/env.ts';
import { run } from '../../cli/run.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import { sessionSpec } from '../../lib/api/session.ts';
import { makeFake } from './fake-cluster.ts';

export const NOW = new Date('2026-11-30T12:00:00Z');
export const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString();

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  stdin?: Uint8Array | string;
  files?: Record<string, Uint8Array | string>;
  terminal?: boolean;
  env?: Record<string, string>;
  signal?: AbortSignal;
  deps?: Partial<Deps>;
  io?: Partial<Io>;
  /** Told each piece of stdout as it comes. */
  onOut?: (all: string) => void;
}

export function makeHarness(now = () => NOW) {
  const fake = makeFake(now);
  const tiny = async (argv: string[], options: RunOptions = {}): Promise<Ran> => {
    let out = '';
    let err = '';
    const stdin = (async function* () {
      if (options.stdin !== undefined) yield Buffer.from(options.stdin as string);
    })();
    const deps: Deps = {
      program: 'tiny',
      readEnv: async () => parseEnvironment({ HOME: '/home/alice', ...options.env }),
      now,
      random: (count) => new Uint8Array(count).fill(7),
      connect: async ({ namespace }) => ({
        client: fake.client,
        namespace: namespace ?? 'demo',
        context: 'here',
        server: 'https://127.0.0.1:6443',
        send: (...sent) => fake.send(...sent),
      }),
      readFile: async (path) => {
        const text = options.files?.[path];
        if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
        return Buffer.from(text as string);
      },
      fetch: async () => new Response(null, { status: 202 }),
      signal: options.signal ?? new AbortController().signal,
      ...options.deps,
    };
    const isTTY = options.terminal ?? false;
    const write = (text: string) => {
      out += text;
      options.onOut?.(out);
    };
    const io = {
      stdin: Object.assign(stdin, { isTTY }),
      stdout: { write, isTTY, ...(isTTY && { columns: 100 }) },
      stderr: {
        write: (text: string) => {
          err += text;
        },
        isTTY,
      },
      ...options.io,
    };
    const code = await run(argv, io, deps);
    return { code, out, err };
  };
  return { fake, tiny };
}

/** A Session as the cluster would hold it. */
export function session(
  name: string,
  more: { spec?: object; status?: Session['status']; seconds?: number } = {},
): Session {
  return {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { name, namespace: 'demo', creationTimestamp: ago(more.seconds ?? 60) },
    spec: sessionSpec.parse({ prompt: 'Fix it', requester: { username: 'alice' }, ...more.spec }),
    ...(more.status && { status: more.status }),
  };
}

/** A Permit that waits for a yes. */
export function question(name: string, more: Partial<Question['spec']> = {}): Question {
  return {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Question',
    metadata: { name, namespace: 'demo', creationTimestamp: ago(30) },
    spec: {
      session: 'refactor',
      kind: 'Permit',
      text: 'May I run the tests?',
      options: [
        { id: 'allow', text: 'Yes', effect: 'Allow' },
        { id: 'allow-always', text: 'Always', effect: 'AllowAlways' },
        { id: 'deny', text: 'No', effect: 'Deny' },
      ],
      toolCall: { id: '1', title: 'npm test', kind: 'execute', input: '{"command":"npm test"}' },
      ...more,
    },
  };
}

/** A condition of the last ten seconds: `[type, status, reason]`. */
export const condition = (
  [type, status, reason]: readonly [type: string, status: 'True' | 'False', reason: string],
  message = '',
) => ({ type, status, reason, message, lastTransitionTime: ago(10) });
