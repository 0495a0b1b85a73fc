import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeServer } from '../../functions/serve.ts';
import type { Session } from '../../lib/api/session.ts';
import { MAX_EVENT_BYTES } from '../../lib/event/receive.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import { sessions } from '../../lib/session/plan.ts';
import captured from '../fixtures/knative-events.json' with { type: 'json' };
import { apiError, type Hooks, MemoryServer } from '../support/memory-client.ts';
import { makeSession, NOW } from '../support/objects.ts';

const PROMPT = 'a prompt that nobody else may read';
const [EVENT] = captured;
const BODY = EVENT?.body ?? '';
const { 'content-length': _length, ...HEADERS } = (EVENT?.headers ?? {}) as Record<string, string>;
const { 'content-type': _type, ...UNTYPED } = HEADERS;

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Send the body in pieces, with no length. */
  chunked?: boolean;
}

let servers = 0;

async function given(hooks: Hooks = {}) {
  const api = new MemoryServer(hooks);
  api.put(SESSIONS, makeSession({ metadata: { name: 'f1' }, spec: { prompt: PROMPT } }) as Session);
  const logged: { level: string; line: unknown[] }[] = [];
  const note =
    (level: string) =>
    (...line: unknown[]) =>
      void logged.push({ level, line });
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const options = { name: `session-${++servers}`, client: api.client('tiny-session'), now: () => NOW, log };
  const server = makeServer(sessions, options as never);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { api, server, port, logged, text: () => JSON.stringify(logged), send: (sent: Sent = {}) => send(port, sent) };
}

function send(port: number, { method = 'POST', path = '/', headers = HEADERS, body = BODY, chunked = false }: Sent) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const length = chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
        answer.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const failing = (error: unknown): Hooks => ({
  before: ({ verb }) => {
    if (verb === 'create') throw error;
  },
});

describe('an event', () => {
  test('is answered 202 with no body, and its Session made', async () => {
    const { api, send: event, logged } = await given();
    const answer = await event();
    expect([answer.status, answer.body]).toEqual([202, '']);
    expect(api.verbs().at(-1)).toBe('applyStatus Session');
    expect(logged).toEqual([
      {
        level: 'info',
        line: [{ kind: 'Session', namespace: 'team-a', name: 'f1', outcome: 'done' }, expect.any(String)],
      },
    ]);
  });

  test('in pieces is read as well', async () => {
    const { send: event } = await given();
    expect(await event({ chunked: true })).toMatchObject({ status: 202, body: '' });
  });

  test('at any path is taken, as a trigger may name one', async () => {
    const { send: event } = await given();
    expect(await event({ path: '/some/where?x=1' })).toMatchObject({ status: 202 });
  });

  test('in structured mode is taken', async () => {
    const { send: event, api } = await given();
    const envelope = {
      specversion: '1.0',
      id: '1',
      source: '/s',
      type: 'dev.knative.apiserver.ref.add',
      data: JSON.parse(BODY),
    };
    const headers = { 'content-type': 'application/cloudevents+json' };
    expect(await event({ headers, body: JSON.stringify(envelope) })).toMatchObject({ status: 202, body: '' });
    expect(api.all()).toHaveLength(5);
  });

  test('of one that is gone is answered 202', async () => {
    const { send: event, api } = await given();
    api.drop(SESSIONS, { namespace: 'team-a', name: 'f1' });
    expect(await event()).toMatchObject({ status: 202, body: '' });
  });

  test('ten times at once is answered 202 or 409, and makes one of each', async () => {
    const { send: event, api } = await given();
    const answers = await Promise.all(Array.from({ length: 10 }, () => event()));
    expect(answers.map(({ status }) => status).filter((status) => status !== 202 && status !== 409)).toEqual([]);
    expect(await event()).toMatchObject({ status: 202 });
    expect(api.all()).toHaveLength(5);
  });
});

describe('an outcome is answered', () => {
  const throttled = new ApiError(429, { details: { retryAfterSeconds: 7 } });
  test.each([
    ['202, refused to the person', 202, undefined, apiError(403, 'Forbidden', 'no')],
    ['409, a conflict', 409, undefined, apiError(409, 'Conflict', 'no')],
    ['429, throttled for a known time', 429, '7', throttled],
    ['429, throttled', 429, undefined, apiError(429, 'TooManyRequests', 'no')],
    ['500, an error of the API server', 500, undefined, apiError(500, 'InternalError', 'no')],
    ['500, a bug', 500, undefined, new TypeError(PROMPT)],
  ])('%s', async (...[, status, retryAfter, error]) => {
    const { send: event, text } = await given(failing(error));
    const answer = await event();
    expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([status, '', retryAfter]);
    expect(text()).not.toContain(PROMPT);
  });
});

describe('unreadable, and answered 400 with no body, is', () => {
  const rows: [what: string, sent: Sent][] = [
    ['a GET', { method: 'GET', body: '' }],
    ['a GET with an event in it', { method: 'GET' }],
    ['a PUT', { method: 'PUT' }],
    ['a DELETE', { method: 'DELETE' }],
    ['no body', { body: '' }],
    ['malformed JSON', { body: '{"kind": "hunter2' }],
    ['no JSON', { body: 'hunter2' }],
    ['no event headers', { headers: { 'content-type': 'application/json' } }],
    ['no headers at all', { headers: {} }],
    ['a form', { headers: { ...UNTYPED, 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=hunter2' }],
    ['a multipart form', { headers: { ...UNTYPED, 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' }],
    ['what claims to be compressed', { headers: { ...HEADERS, 'content-encoding': 'gzip' }, body: 'hunter2' }],
    ['an unknown charset', { headers: { ...HEADERS, 'content-type': 'application/json; charset=klingon' }, body: '{' }],
    ['no UTF-8', { body: Buffer.from([0xff, 0xfe, 0x00]) }],
    ['a batch', { headers: { 'content-type': 'application/cloudevents-batch+json' }, body: '[]' }],
    ['another kind', { body: BODY.replace('Session', 'Secret') }],
    ['a name with a slash', { body: BODY.replace('"f1"', '"../f1"') }],
    ['a pollution of the prototype', { body: `{"__proto__":${BODY}}` }],
  ];

  test.each(rows)('%s', async (_what, sent) => {
    const { send: event, api, text } = await given();
    const answer = await event(sent);
    expect([answer.status, answer.body]).toEqual([400, '']);
    expect(api.asked).toEqual([]);
    expect(text()).toContain('unreadable');
    expect(text()).not.toContain('hunter2');
  });

  test.each(['/favicon.ico', '/robots.txt'])('a GET of %s is answered with no error of the server', async (path) => {
    const { send: event } = await given();
    const { status } = await event({ method: 'GET', path, body: '' });
    expect([400, 404]).toContain(status);
  });

  test.each([false, true])('3 MiB (in pieces: %s), read no further than needed', async (chunked) => {
    const { send: event, api } = await given();
    const body = JSON.stringify({ ...JSON.parse(BODY), padding: 'x'.repeat(3 * 1024 * 1024) });
    expect(await event({ body, chunked })).toMatchObject({ status: 400, body: '' });
    expect(api.asked).toEqual([]);
    expect(await event()).toMatchObject({ status: 202 });
  });

  test('a length that is claimed to be huge, before it is sent', async () => {
    const { port } = await given();
    const socket = connect(port, '127.0.0.1');
    const answer = read(socket);
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${MAX_EVENT_BYTES * 1000}\r\n\r\n{`);
    expect(await answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

async function read(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

test('nothing that is logged holds a body, a header, a token or the prompt', async () => {
  const { send: event, text } = await given();
  const secret = {
    authorization: 'Bearer hunter2',
    'x-token': 'hunter2',
    cookie: 'hunter2',
    'ce-extension': 'hunter2',
  };
  await event({ headers: { ...HEADERS, ...secret } });
  await event({ headers: { ...HEADERS, ...secret, 'ce-type': 'hunter2' } });
  await event({ headers: { ...HEADERS, ...secret }, body: BODY.replace('"f1"', '"hunter2 "') });
  expect(text()).not.toMatch(/hunter2|Bearer/);
  expect(text()).not.toContain(PROMPT);
});

test('a client that hangs up in the middle does no harm', async () => {
  const { port, send: event, api } = await given();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
  socket.destroy();
  expect(await event()).toMatchObject({ status: 202 });
  expect(api.all()).toHaveLength(5);
});
