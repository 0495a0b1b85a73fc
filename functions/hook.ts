/**
 * Makes a function that others call by HTTP (Slack, GitHub, another tracker): the raw body goes to one handler, which
 * answers within the caller's patience. Work that outlasts its answer is held here, and waited for before the process
 * ends: Knative asks with SIGTERM, and a pod that is asked still has its grace period.
 */
import type { Server } from 'node:http';
import { http, type Request, type Response } from '@google-cloud/functions-framework';
import { type Logger, pino } from 'pino';
import type { Answered, Called } from '../lib/called.ts';
import type { Client } from '../lib/kube/types.ts';
import { type Environment, environment } from './env.ts';
import { CONTENT_TYPE, gated } from './gate.ts';
import { clientOf } from './main.ts';

/** Throws only what nobody expected: answered with 500, and logged by its name. */
export type Handler = (called: Called) => Promise<Answered>;

export interface HookOptions {
  name: string;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Answers 413 beyond. */
  maxBytes: number;
}

/** The function's server, not yet listening. */
export function makeHook(handler: Handler, { name, log, maxBytes }: HookOptions): Server {
  http(name, async (request, response) => {
    try {
      send(response, await handler(calledOf(request)));
    } catch (error) {
      log.error({ outcome: 'failed' }, `unexpected ${(error as Error)?.name ?? typeof error}`);
      send(response, { status: 500 });
    }
  });
  return gated(name, { maxBytes, tooLong: 413 });
}

function calledOf({ method, path, headers, rawBody }: Request): Called {
  const single = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  const known = { ...Object.fromEntries(single), 'content-type': headers[CONTENT_TYPE]?.toString() };
  return { method, path, headers: known, body: rawBody ?? Buffer.alloc(0) };
}

function send(response: Response, { status, body }: Answered): void {
  response.status(status);
  if (body === undefined) response.end();
  else if (typeof body === 'string') response.type('text/plain').send(body);
  else response.json(body);
}

/** What a function of this kind has to work with. */
export interface Edge {
  env: Environment;
  client: Client;
  log: Logger;
  /** Holds work that outlasts its answer. */
  later(work: Promise<unknown>): void;
}

/** Keeps what is under way; `settled` resolves when nothing is. */
export function makeLater(log: Pick<Logger, 'error'>) {
  const pending = new Set<Promise<unknown>>();
  const later = (work: Promise<unknown>) => {
    const kept = work
      .catch((error) => log.error({ outcome: 'failed' }, `unexpected ${(error as Error)?.name ?? typeof error}`))
      .finally(() => pending.delete(kept));
    pending.add(kept);
  };
  const settled = async () => {
    while (pending.size) await Promise.all(pending);
  };
  return { later, settled };
}

/** Starts listening; at SIGTERM requests and work under way are finished first. */
export function runHook(name: string, maxBytes: number, make: (edge: Edge) => Handler): void {
  const env = environment();
  const log = pino({ base: { function: name }, level: env.LOG_LEVEL });
  const client = clientOf(env, `tiny-${name}`);
  const { later, settled } = makeLater(log);
  const server = makeHook(make({ env, client, log, later }), { name, log, maxBytes });
  process.once('SIGTERM', () => server.close(() => void settled().then(() => process.exit(0))));
  server.listen({ port: env.PORT, ...(env.HOST && { host: env.HOST }) });
}
