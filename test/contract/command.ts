/** The command itself against an API server, as one of the suite's people: what it says, and its exit code. */
import { setTimeout } from 'node:timers/promises';
import type { Deps, Io } from '../../cli/app.ts';
import { parseEnvironment } from '../../cli/env.ts';
import { run } from '../../cli/run.ts';
import type { Send } from '../../lib/kube/send.ts';
import type { Client } from '../../lib/kube/types.ts';
import type { Server } from './world.ts';

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** Runs `tiny …` as whoever `client` is; nothing can be typed, and it reads `files` alone. */
export async function tiny(
  server: Pick<Server, 'url'> & { send?: Send },
  client: Client,
  argv: string[],
  files: Record<string, string> = {},
): Promise<Said> {
  const said = { out: '', err: '' };
  const io: Io = {
    stdin: Object.assign((async function* () {})(), { isTTY: false }),
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
  };
  const deps: Deps = {
    program: 'tiny',
    readEnv: async () => parseEnvironment({ HOME: '/nowhere' }),
    now: () => new Date(),
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
    connect: async ({ namespace = 'default' }) => ({
      client,
      namespace,
      context: 'test',
      server: server.url,
      send: server.send ?? (async () => {}),
    }),
    readFile: async (path) => Buffer.from(files[path] ?? ''),
    fetch,
    signal: new AbortController().signal,
  };
  const code = await run(argv, io, deps);
  return { code, ...said };
}

/** Runs it until it succeeds: a right that was given a moment ago is seen a moment later. */
export async function untilDone(attempt: () => Promise<Said>): Promise<Said> {
  for (let tried = 1; ; tried++) {
    const said = await attempt();
    if (said.code === 0 || tried === 40) return said;
    await setTimeout(250);
  }
}
