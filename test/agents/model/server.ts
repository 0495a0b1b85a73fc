/**
 * The fake model server: what an agent takes for a model, on loopback, without a key or a network. Its script is a
 * function of the conversation alone, so that an agent which is killed and resumed gets the answer that fits; faults
 * are asked for one request at a time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagesRequest, messageEvents, readMessages, wholeMessage } from './anthropic.ts';
import { type ChatRequest, chatEvents, readChat } from './chat.ts';
import type { Fault } from './faults.ts';
import { type GeminiRequest, geminiEvents, readGemini } from './gemini.ts';
import { type ResponsesRequest, readResponses, responseEvents } from './responses.ts';
import type { Reply, Script, Talk } from './talk.ts';

/** A request for the next step of a conversation; what agents ask beside it (titles, counts) is answered and not kept. */
export interface Turn {
  /** Milliseconds of `performance.now()`. */
  at: number;
  key: string;
  /** The agent's own name of the conversation, where it gives one. */
  conversation: string;
  path: string;
  /** The request's whole text. */
  body: string;
  talk: Talk;
  reply?: Reply;
  fault?: Fault;
}

export interface FakeModelServer {
  /** Without a path. */
  url: string;
  turns: Turn[];
  /** What goes wrong with the next requests, one each. */
  faults: Fault[];
  script: Script;
  /** Called with each step that is asked for, before it is answered. */
  onTurn: (turn: Turn) => void | Promise<void>;
  close(): Promise<void>;
}

interface Api {
  read: (body: never) => Talk;
  events: (reply: Reply, made: { id: string; model: string }) => [string, Record<string, unknown>][];
  whole?: (reply: Reply, made: { id: string; model: string }) => unknown;
}

const GEMINI: Api = { read: (body: GeminiRequest) => readGemini(body), events: geminiEvents };

const APIS: Record<string, Api> = {
  '/v1/messages': { read: (body: MessagesRequest) => readMessages(body), events: messageEvents, whole: wholeMessage },
  '/v1/chat/completions': { read: (body: ChatRequest) => readChat(body), events: chatEvents },
  '/v1/responses': { read: (body: ResponsesRequest) => readResponses(body), events: responseEvents },
};

/** Listens on a free port of loopback. */
export async function startFakeModelServer(script: Script): Promise<FakeModelServer> {
  const turns: Turn[] = [];
  const server = createServer((request, response) => {
    answer(fake, request, response).catch((error) => {
      if (!response.headersSent) json(response, 500, { error: { type: 'api_error', message: String(error) } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turns,
    faults: [],
    script,
    onTurn: () => {},
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

async function answer(fake: FakeModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://fake').pathname;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (path === '/v1/messages/count_tokens') return json(response, 200, { input_tokens: 100 });
  if (path === '/v1/models') return json(response, 200, { object: 'list', data: [], models: [] });
  const isGemini = path.endsWith(':streamGenerateContent');
  const api = isGemini ? GEMINI : APIS[path];
  if (!api || request.method !== 'POST') {
    return json(response, 404, {
      error: { type: 'not_found_error', message: `there is no ${request.method} ${path}` },
    });
  }
  const body = { stream: isGemini, ...JSON.parse(text) } as { model: string; stream?: boolean };
  const talk = api.read(body as never);
  const made = { id: String(fake.turns.length).padStart(4, '0'), model: body.model };
  // What is asked without tools is beside the conversation: a title, a check of the key.
  if (talk.tools.length === 0) return send(response, { api, body, made, reply: { say: '{"title":"a test"}' } });
  const turn: Turn = {
    at: performance.now(),
    key: keyOf(request),
    conversation: conversationOf(request),
    path,
    body: text,
    talk,
  };
  fake.turns.push(turn);
  const fault = fake.faults.shift();
  if (fault) turn.fault = fault;
  await fake.onTurn(turn);
  if (fault && 'status' in fault) return refuse(response, fault);
  if (fault && 'silentMs' in fault) await sleep(fault.silentMs);
  turn.reply = fake.script(talk);
  send(response, { api, body, made, reply: turn.reply, ...(fault && { fault }) });
}

const keyOf = ({ headers }: IncomingMessage): string =>
  String(headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '') ?? '');

const conversationOf = ({ headers }: IncomingMessage): string =>
  String(headers['x-claude-code-session-id'] ?? headers['thread-id'] ?? '');

function json(response: ServerResponse, code: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, fault: Extract<Fault, { status: number }>): void {
  const { status, type, message, retryAfterSeconds } = fault;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  json(response, status, { type: 'error', error: { type, code: type, message } }, headers);
}

interface Sending {
  api: Api;
  body: { stream?: boolean };
  made: { id: string; model: string };
  reply: Reply;
  fault?: Fault;
}

function send(response: ServerResponse, { api, body, made, reply, fault }: Sending): void {
  if (!body.stream && api.whole) {
    json(response, 200, api.whole(reply, made));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = api.events(reply, made);
  for (const [at, [type, data]] of events.entries()) {
    if (fault && 'cutAfter' in fault && at >= fault.cutAfter) {
      response.destroy();
      return;
    }
    const line =
      fault && 'malformed' in fault && at === 1
        ? '{"type":'
        : JSON.stringify(type === 'chunk' ? data : { type, ...data });
    // Chunks have no name.
    response.write(`${type === 'chunk' ? '' : `event: ${type}\n`}data: ${line}\n\n`);
  }
  response.end();
}
