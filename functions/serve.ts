/**
 * Makes a function of a reconciler: an HTTP server that takes one event a request. It is the framework's own server
 * (which its `testing` entry hands out, and its `main` keeps to itself: that exits in mid-write on SIGTERM), with a gate
 * before it.
 */
import type { Server } from 'node:http';
import { http, type Request, type Response } from '@google-cloud/functions-framework';
import type { Logger } from 'pino';
import type { KubeObject } from '../lib/api/meta.ts';
import { MAX_EVENT_BYTES, receive, type Subject, UnreadableEvent } from '../lib/event/receive.ts';
import { HTTP_STATUS, type Outcome } from '../lib/outcome.ts';
import type { Reconciler } from '../lib/plan.ts';
import { type ReconcileOptions, reconcile } from '../lib/reconcile.ts';
import { CONTENT_TYPE, gated } from './gate.ts';

export interface ServeOptions extends ReconcileOptions {
  /** The function's name in logs. */
  name: string;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** What is done about the object besides, once it is in line. Never throws. */
  also?: ((subject: Subject) => Promise<Outcome>) | undefined;
}

/** The function's server, not yet listening. */
export function makeServer<T extends KubeObject>(reconciler: Reconciler<T>, options: ServeOptions): Server {
  http(options.name, (request, response) => handle(reconciler, options, { request, response }));
  return gated(options.name, { maxBytes: MAX_EVENT_BYTES, tooLong: 400 });
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
  { log, also, ...options }: ServeOptions,
  request: Request,
): Promise<Outcome> {
  const subject = read(request, reconciler);
  if ('unreadable' in subject) {
    log.warn({ outcome: 'unreadable' }, subject.unreadable);
    return { kind: 'unreadable', message: subject.unreadable };
  }
  const reconciled = await reconcile(reconciler, subject, { ...options, look: subject.look });
  const outcome = also ? worse(reconciled, await also(subject)) : reconciled;
  const level = outcome.kind === 'failed' ? 'error' : 'info';
  log[level]({ ...subject, outcome: outcome.kind }, outcome.message);
  return outcome;
}

/** The one for whose sake the event is to come again, if there is one. */
const worse = (one: Outcome, other: Outcome): Outcome =>
  HTTP_STATUS[one.kind] >= HTTP_STATUS[other.kind] ? one : other;

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
