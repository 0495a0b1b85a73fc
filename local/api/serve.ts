/**
 * One request, one way: its path is read, its sender is known, may act as another and is allowed, the object is
 * admitted, the verb does it, the audit log has it, and only then it is answered.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../lib/kube/errors.ts';
import { contentTypeOf, readBody } from './body.ts';
import type { Answer, Api, Call } from './call.ts';
import { discovery } from './discovery.ts';
import { noSuchPath, statusOf } from './errors.ts';
import { admission, audited, check, enter, type Gate, rbacOf, type Trail } from './gate.ts';
import { parseTarget } from './path.ts';
import { send, sendAnswer, sendLog, sendWatch } from './send.ts';
import type { Logs } from './subresources.ts';
import { createReview, REVIEWS, verbOf } from './verbs.ts';

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
  const { method = '', url = '' } = request;
  const trail: Trail = { received: site.gate.now(), target: parseTarget(method, url) };
  await answer(site, { request, response, trail }).catch((error) => refuse(site, { request, response, trail }, error));
}

/** Says why not. A client that went away while it asked gets nothing. */
function refuse({ gate, log }: Site, { request, response, trail }: Exchange, error: unknown): void {
  if (request.destroyed && !request.complete) return;
  const refusal = error instanceof ApiError ? error : unexpected(error, log);
  const body = statusOf(refusal);
  audited(gate, request, { trail, code: refusal.code, body });
  if (response.headersSent) response.destroy();
  else send(response, { code: refusal.code, body });
}

function unexpected(error: unknown, log: (line: string) => void): ApiError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log(stack ?? message);
  return new ApiError(500, { reason: 'InternalError', message: `Internal error occurred: ${message}` });
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
async function answerFor(site: Site, exchange: Exchange, asked: Asked): Promise<void> {
  const { request, response, trail } = exchange;
  const call = callOf(site, exchange, asked);
  const { verb, subresource } = asked.attributes;
  const done = (result: Answer) => audited(site.gate, request, { trail, ...result });
  if (verb === 'watch') {
    sendWatch(call, response);
    response.once('close', () => done({ code: 200, body: {} }));
    return;
  }
  if (subresource === 'log' && verb === 'get') return sendLog(call, response, site.logs);
  const result = verbOf(call)(call);
  done(result);
  sendAnswer(call, response, result);
}

function callOf({ api, gate }: Site, { request, trail }: Exchange, { attributes, resource }: Asked): Call {
  const { accept = '', 'user-agent': userAgent = 'unknown' } = request.headers;
  const { query } = trail.target;
  return {
    ...{ api, resource, attributes, query, accept, body: trail.requestObject, keys: gate.keys, warnings: [] },
    contentType: contentTypeOf(request),
    manager: query.get('fieldManager') ?? userAgent.split('/')[0] ?? '',
    ...admission(gate, resource, attributes),
    authorize: (verb) => check(gate, { ...attributes, verb }),
  };
}
