/** The socket for the harness: a few requests in HTTP and JSON. An error is `{error}` with the API server's code. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { ApiError } from '../../lib/kube/errors.ts';
import { decide } from '../../lib/question/decision.ts';
import { budgetKey, budgetQuestion, budgetRequest } from './budget-question.ts';
import type { OwnSession } from './own-session.ts';
import { permitRequest } from './permit-request.ts';
import type { Questions } from './questions.ts';
import { harnessPatch, type StatusWriter } from './status-writer.ts';
import type { Waiting } from './waiting.ts';

export interface HarnessServer {
  session: OwnSession;
  status: StatusWriter;
  questions: Questions;
  waiting: Waiting;
  now: () => Date;
}

/** The longest request, in bytes: a Question with its limits used up, and room for JSON's escapes. */
const MAX_BODY = 4 * 1024 * 1024;

type Handler = (server: HarnessServer, asked: { name: string; body: unknown }) => Promise<unknown>;

const ROUTES: Record<string, Handler> = {
  'GET /session': ({ session }) => session.read(),
  'PATCH /status': async ({ status, waiting }, { body }) => {
    const patch = valid(harnessPatch, body);
    if (patch.conditions?.some(({ type }) => type === 'Ready')) waiting.reset();
    await status.tell(patch);
    return {};
  },
  'POST /questions': ({ questions }, { body }) => {
    const { key, spec } = valid(permitRequest, body);
    return questions.ask(key, spec);
  },
  'POST /budget': async ({ session, questions }, { body }) => {
    const request = valid(budgetRequest, body);
    const { metadata } = session.known() ?? (await session.read());
    return questions.ask(budgetKey(request), budgetQuestion(metadata.name, request));
  },
  'GET /questions/': async ({ questions, waiting, now }, { name }) => {
    const question = await questions.get(name);
    waiting.see(question, decide(question, now()));
    return question;
  },
};

const refuse = (code: number, message: string) => new ApiError(code, { code, message });

function valid<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw refuse(422, parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}

/** Answers the harness. */
export function harnessListener(server: HarnessServer): RequestListener {
  return (request, response) => {
    answer(server, request).then(
      (value) => send(response, { code: 200, value, now: server.now() }),
      (error) => {
        const code = error instanceof ApiError ? error.code : 503;
        send(response, { code, value: { error: (error as Error).message }, now: server.now() });
      },
    );
  };
}

async function answer(server: HarnessServer, request: IncomingMessage): Promise<unknown> {
  const [, path = '', name = ''] = /^(\/[a-z]+\/?)([^/]*)$/.exec(request.url ?? '') ?? [];
  const route = ROUTES[`${request.method} ${path}`];
  if (!route)
    throw refuse(404, `there is no ${request.method} ${request.url}; there are ${Object.keys(ROUTES).join(', ')}`);
  const text = await read(request);
  return route(server, { name: decodeURIComponent(name), body: parse(text) });
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw refuse(413, `the request is longer than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(400, 'the body is no JSON');
  }
}

/** With the API server's time, as far as the tools have heard it; the harness takes it from there. */
function send(response: ServerResponse, { code, value, now }: { code: number; value: unknown; now: Date }): void {
  const headers = { 'content-type': 'application/json', date: now.toUTCString() };
  response.writeHead(code, headers).end(JSON.stringify(value));
}
