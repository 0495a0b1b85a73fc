/**
 * One request, one way: its path is read, its sender is known, may act as another and is allowed, the object is
 * admitted, the verb does it, the audit log has it, and only then it is answered.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../lib/kube/errors.ts';
import { readBody } from './body.ts';
import type { Api, Call } from './call.ts';
import { discovery } from './discovery.ts';
import { internal, noSuchPath, statusOf } from './errors.ts';
import { audited, enter, type Trail } from './gate.ts';
import { parseTarget } from './path.ts';
import { send, sendAnswer, sendWatch } from './send.ts';
import { sendLog } from './subresources.ts';
import { verbOf } from './verbs.ts';

/** Answers a request, whatever it is; never throws. */
export async function serve(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const trail: Trail = { request, received: api.now(), target: parseTarget(request.method ?? '', request.url ?? '') };
  await answer(api, trail, response).catch((error) => refuse(api, trail, { response, error }));
}

/** Says why not. A client that went away while it asked gets nothing. */
function refuse(api: Api, trail: Trail, { response, error }: { response: ServerResponse; error: unknown }): void {
  if (trail.request.destroyed && !trail.request.complete) return;
  const refusal = error instanceof ApiError ? error : unexpected(error, api.log);
  const result = { code: refusal.code, body: statusOf(refusal) };
  audited(api, trail, result);
  if (response.headersSent) response.destroy();
  else send(response, result);
}

function unexpected(error: unknown, log: (line: string) => void): ApiError {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  log(stack);
  return internal(`Internal error occurred: ${message}`);
}

async function answer(api: Api, trail: Trail, response: ServerResponse): Promise<void> {
  const { request, target } = trail;
  const { query, path } = target;
  const attributes = enter(api, trail);
  if (target.resource === '') return send(response, { code: 200, body: discovery(path, api.registry) ?? missing() });
  trail.body = await readBody(request);
  const resource = api.registry.find({ ...target, plural: target.resource }) ?? missing();
  const call: Call = { api, attributes, resource, query, headers: request.headers, body: trail.body, warnings: [] };
  const verb = verbOf(call);
  if (verb === 'log') return sendLog(call, response);
  if (verb === 'watch') {
    sendWatch(call, response);
    response.once('close', () => audited(api, trail, { code: 200, body: {} }));
    return;
  }
  const result = verb(call);
  audited(api, trail, result);
  sendAnswer(call, response, result);
}

function missing(): never {
  throw noSuchPath();
}
