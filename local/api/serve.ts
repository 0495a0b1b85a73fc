/**
 * One request, one way: its path is read, its sender is known, may act as another and is allowed, the object is
 * admitted, the verb does it, the audit log has it, and only then it is answered.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatusError } from '../types.ts';
import { contentTypeOf, readBody } from './body.ts';
import type { Answer, Api, Call } from './call.ts';
import { discovery } from './discovery.ts';
import { noSuchPath, statusOf } from './errors.ts';
import { admission, audited, check, enter, type Gate, rbacOf, type Trail } from './gate.ts';
import { parseTarget } from './path.ts';
import { send, sendAnswer, sendLog, sendWatch } from './send.ts';
import type { Logs } from './subresources.ts';
import { createReview, createToken, REVIEWS, verbOf } from './verbs.ts';

/** All that serving a request needs. */
export interface Site {
  api: Api;
  gate: Gate;
  log: (line: string) => void;
  logs?: Logs;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  trail: Trail;
}

/** Answers a request, whatever it is; never throws. */
export async function serve(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const trail: Trail = { received: site.gate.now(), target: parseTarget(request.method ?? 'GET', request.url ?? '/') };
  try {
    await answer(site, { request, response, trail });
  } catch (error) {
    const refusal = error instanceof StatusError ? error : unexpected(error, site.log);
    const body = statusOf(refusal);
    audited(site.gate, request, { trail, code: refusal.code, body });
    if (response.headersSent) response.destroy();
    else send(response, { code: refusal.code, body });
  }
}

function unexpected(error: unknown, log: (line: string) => void): StatusError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log(stack ?? message);
  return new StatusError(500, { reason: 'InternalError', message: `Internal error occurred: ${message}` });
}

async function answer(site: Site, exchange: Exchange): Promise<void> {
  const { request, response, trail } = exchange;
  const attributes = enter(site.gate, request, trail);
  const { target } = trail;
  if (target.resource === '')
    return send(response, { code: 200, body: discovery(target.path, site.api.registry) ?? missing() });
  trail.requestObject = await readBody(request);
  const named = { ...target, plural: target.resource };
  const review = REVIEWS.find(({ group, plural }) => group === named.group && plural === named.plural);
  if (!review) return answerFor(site, exchange, { attributes, resource: site.api.registry.find(named) ?? missing() });
  const result = createReview(review, trail.requestObject, { user: attributes.user, rbac: rbacOf(site.gate.store) });
  audited(site.gate, request, { trail, ...result });
  send(response, result);
}

function missing(): never {
  throw noSuchPath();
}

type Asked = Pick<Call, 'attributes' | 'resource'>;

/** Answers a request for objects: a stream, or what its verb comes to. */
async function answerFor(site: Site, { request, response, trail }: Exchange, asked: Asked): Promise<void> {
  const call = { ...callOf(site, request, asked), query: trail.target.query, body: trail.requestObject };
  const { verb, subresource } = asked.attributes;
  const done = (result: Answer) => audited(site.gate, request, { trail, ...result });
  if (verb === 'watch') {
    sendWatch(call, response);
    response.once('close', () => done({ code: 200, body: {} }));
    return;
  }
  if (subresource === 'log') return sendLog(call, response, site.logs);
  const result = subresource === 'token' ? createToken(call, site.gate.keys) : verbOf(call)(call);
  done(result);
  sendAnswer(call, response, result);
}

function callOf(
  { api, gate }: Site,
  request: IncomingMessage,
  { attributes, resource }: Asked,
): Omit<Call, 'query' | 'body'> {
  const { accept = '', 'user-agent': userAgent = 'unknown' } = request.headers;
  const given = new URL(request.url ?? '/', 'https://localhost').searchParams.get('fieldManager');
  return {
    api,
    resource,
    attributes,
    contentType: contentTypeOf(request),
    accept,
    manager: given ?? userAgent.split('/')[0] ?? '',
    warnings: [],
    ...admission(gate, resource, attributes),
    authorize: (verb) => void check(gate, { ...attributes, verb }),
  };
}
