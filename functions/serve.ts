/**
 * Makes a function of a reconciler: an HTTP server that takes one event a request. It is the framework's own server
 * (which its `testing` entry hands out, and its `main` keeps to itself), with a gate before it: the framework's body
 * parsers read up to 1 GiB and print part of a malformed body, and its `main` exits in mid-write on SIGTERM.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { http, type Request, type Response } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Logger } from 'pino';
import type { KubeObject } from '../lib/api/meta.ts';
import { MAX_EVENT_BYTES, receive, UnreadableEvent } from '../lib/event/receive.ts';
import { HTTP_STATUS, type Outcome } from '../lib/outcome.ts';
import type { Reconciler } from '../lib/plan.ts';
import { type ReconcileOptions, reconcile } from '../lib/reconcile.ts';

export interface ServeOptions extends ReconcileOptions {
  /** The function's name in logs. */
  name: string;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The function's server, not yet listening. */
export function makeServer<T extends KubeObject>(reconciler: Reconciler<T>, options: ServeOptions): Server {
  http(options.name, (request, response) => handle(reconciler, options, { request, response }));
  return gated(getTestServer(options.name));
}

async function handle<T extends KubeObject>(
  reconciler: Reconciler<T>,
  options: ServeOptions,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const outcome = await outcomeOf(reconciler, options, request);
  if (outcome.kind === 'throttled' && outcome.retryAfterSeconds)
    response.setHeader('retry-after', outcome.retryAfterSeconds);
  response.status(HTTP_STATUS[outcome.kind]).end();
}

async function outcomeOf<T extends KubeObject>(
  reconciler: Reconciler<T>,
  { log, ...options }: ServeOptions,
  request: Request,
): Promise<Outcome> {
  const subject = read(request, reconciler);
  if ('unreadable' in subject) {
    log.warn({ outcome: 'unreadable' }, subject.unreadable);
    return { kind: 'unreadable', message: subject.unreadable };
  }
  const outcome = await reconcile(reconciler, subject, { ...options, look: subject.look });
  const level = outcome.kind === 'failed' ? 'error' : 'info';
  log[level]({ ...subject, outcome: outcome.kind }, outcome.message);
  return outcome;
}

function read<T extends KubeObject>(request: Request, { type }: Reconciler<T>) {
  try {
    if (request.method !== 'POST') throw new UnreadableEvent('events come by POST');
    const headers = { ...request.headers, 'content-type': String(request.headers[CONTENT_TYPE] ?? '') };
    return receive({ headers, body: request.rawBody?.toString('utf8') ?? '' }, type);
  } catch (error) {
    if (error instanceof UnreadableEvent) return { unreadable: error.message };
    throw error;
  }
}

/** Where the gate keeps the content type while the framework is to leave the body alone. */
const CONTENT_TYPE = 'x-tiny-content-type';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function gated(server: Server): Server {
  const [framework] = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.headers[CONTENT_TYPE] = request.headers['content-type'];
    request.headers['content-type'] = 'application/octet-stream';
    delete request.headers['content-encoding'];
    if (isShort(request, response)) framework?.(request, response);
  });
  return server;
}

/** Whether no more than an event's worth is announced. Answers 400 and hangs up at once, or when more has come. */
function isShort(request: IncomingMessage, response: ServerResponse): boolean {
  let bytes = 0;
  const refuse = () => {
    if (!response.headersSent) response.writeHead(400, { connection: 'close' }).end();
    request.destroy();
  };
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_EVENT_BYTES) refuse();
  });
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_EVENT_BYTES) refuse();
  return announced <= MAX_EVENT_BYTES;
}
