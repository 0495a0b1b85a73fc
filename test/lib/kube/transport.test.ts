import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ApiError, ConnectionError } from '../../../lib/kube/errors.ts';
import { tokenFile } from '../../../lib/kube/token-file.ts';
import { makeTransport, type TransportConfig } from '../../../lib/kube/transport.ts';
import { answer, CERTIFICATE, fakeClock, freePort, KEY, refuse, reset, startServer } from './fake.ts';

const transportTo = (server: string, more: Partial<TransportConfig> = {}) =>
  makeTransport({ server, userAgent: 'test', now: () => 0, ...more });

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('should have failed'),
    (error: unknown) => error,
  );

describe('headers', () => {
  test('several values of a name go in lines of their own, in order', async () => {
    const { url, seen } = await startServer((_, response) => answer(response, {}));
    const headers = ['a', 'b', 'c, d'].map((group) => ['Impersonate-Group', group] as const);
    await transportTo(url).read({ method: 'GET', path: '/', headers });
    const groups = seen[0]?.headers.filter(([name]) => name === 'impersonate-group').map(([, value]) => value);
    expect(groups).toEqual(['a', 'b', 'c, d']);
  });

  test('bytes of UTF-8 in a header stay as they are beside a body of UTF-8', async () => {
    const { url, seen } = await startServer((_, response) => answer(response, {}));
    const bytes = Buffer.from('größe 😀').toString('latin1');
    await transportTo(url).read({ method: 'POST', path: '/', headers: [['x-name', bytes]], body: '{"a":"größe 😀"}' });
    expect(seen[0]?.headers).toContainEqual(['x-name', bytes]);
    expect(seen[0]?.body).toBe('{"a":"größe 😀"}');
  });

  test("a DELETE's body has its length, and is not taken for the next request", async () => {
    const { url, seen } = await startServer((_, response) => answer(response, {}));
    const transport = transportTo(url);
    await transport.read({ method: 'DELETE', path: '/x', body: '{"preconditions":{"uid":"u"}}' });
    await transport.read({ method: 'GET', path: '/y' });
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ['DELETE', '{"preconditions":{"uid":"u"}}'],
      ['GET', ''],
    ]);
  });

  test("the path of the server's URL comes before each path", async () => {
    const { url, seen } = await startServer((_, response) => answer(response, {}));
    await transportTo(`${url}/k8s/clusters/c-1/`).read({ method: 'GET', path: '/api?x=1' });
    expect(seen[0]?.path).toBe('/k8s/clusters/c-1/api');
  });
});

describe('connections', () => {
  test('requests one after another use one connection', async () => {
    const { url, seen } = await startServer((_, response) => answer(response, {}));
    const transport = transportTo(url);
    for (let i = 0; i < 5; i++) await transport.read({ method: 'GET', path: '/' });
    expect(new Set(seen.map(({ connection }) => connection)).size).toBe(1);
  });

  test('a refused connection is safe to try again; a reset one only where twice is as good as once', async () => {
    const refused = await failure(
      transportTo(`http://localhost:${await freePort()}`).read({ method: 'POST', path: '/' }),
    );
    expect(refused).toBeInstanceOf(ConnectionError);
    expect(refused).toMatchObject({ again: 'safe', message: expect.stringContaining('ECONNREFUSED') });
    const { url } = await startServer((_, response) => reset(response));
    expect(await failure(transportTo(url).read({ method: 'POST', path: '/' }))).toMatchObject({
      again: 'if-idempotent',
    });
  });

  test('an answer cut off in its middle is a ConnectionError, not half an object', async () => {
    const { url } = await startServer((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"half":');
      response.socket?.end();
    });
    expect(await failure(transportTo(url).read({ method: 'GET', path: '/' }))).toMatchObject({
      name: 'ConnectionError',
      again: 'if-idempotent',
    });
  });

  test('silence ends a request, before the answer and within it', async () => {
    const { url } = await startServer(({ path }, response) => {
      if (path === '/half') response.writeHead(200).write('{');
    });
    for (const path of ['/none', '/half']) {
      const error = await failure(transportTo(url, { timeoutMs: 60 }).read({ method: 'GET', path }));
      expect(error).toMatchObject({ name: 'ConnectionError', again: 'if-idempotent' });
      expect((error as Error).message).toMatch(/no answer within 0.06 s/);
    }
  });

  test('an abort ends a request with its reason, before the answer and within it', async () => {
    const { url } = await startServer((_, response) => void response.writeHead(200).write('{'));
    const early = failure(transportTo(url).read({ method: 'GET', path: '/', signal: AbortSignal.abort('early') }));
    expect(await early).toBe('early');
    const ended = new AbortController();
    const chunks = await transportTo(url).open({ method: 'GET', path: '/', signal: ended.signal });
    const late = failure(
      (async () => {
        for await (const _ of chunks) ended.abort(new Error('late'));
      })(),
    );
    expect(await late).toMatchObject({ message: 'late' });
  });

  test('an answer over the limit is given up', async () => {
    const { url } = await startServer((_, response) => answer(response, 'x'.repeat(2000)));
    const error = await failure(transportTo(url, { maxAnswerBytes: 1000 }).read({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ name: 'ConnectionError', again: 'never' });
  });
});

describe('refusals', () => {
  test('a Status becomes an ApiError in the words of the server', async () => {
    const { url } = await startServer((_, response) => refuse(response, 409, { reason: 'Conflict', message: 'no' }));
    const error = await failure(transportTo(url).read({ method: 'GET', path: '/x' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 409, reason: 'Conflict', message: 'no' });
  });

  test("a proxy's page becomes one short line that does not hold the token", async () => {
    const { url } = await startServer(({ headers }, response) => {
      response.writeHead(502, { 'retry-after': '7' }).end(`<h1>Bad\n gateway</h1> ${JSON.stringify(headers)}`);
    });
    const transport = transportTo(url, { auth: { token: 's3cret-token' } });
    const error = (await failure(transport.read({ method: 'GET', path: '/x?y=z' }))) as ApiError;
    expect(error.message).toMatch(/^GET \/x was answered with 502: <h1>Bad gateway<\/h1>/);
    expect(JSON.stringify([error, error.message, error.stack])).not.toContain('s3cret');
    expect(error.status.details?.retryAfterSeconds).toBe(7);
  });
});

describe('credentials', () => {
  test('a token in a file is read again a minute later, not sooner', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'token-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'token');
    const { url, seen } = await startServer((_, response) => answer(response, {}));
    const { clock, pass } = fakeClock();
    const transport = transportTo(url, { auth: tokenFile(path, clock.now) });
    expect(await failure(transport.read({ method: 'GET', path: '/' }))).toMatchObject({ name: 'ConnectionError' });
    for (const token of ['one\n', 'two\n']) {
      writeFileSync(path, token);
      await transport.read({ method: 'GET', path: '/' });
      pass(59_000);
      await transport.read({ method: 'GET', path: '/' });
      pass(2_000);
    }
    const sent = seen.map(({ headers }) => new Map(headers).get('authorization'));
    expect(sent).toEqual(['Bearer one', 'Bearer one', 'Bearer two', 'Bearer two']);
  });

  test('a token that fits into no header is a typed error that does not show it', async () => {
    const { url } = await startServer((_, response) => answer(response, {}));
    const error = await failure(transportTo(url, { auth: { token: 's3cret\nx' } }).read({ method: 'GET', path: '/' }));
    expect(error).toMatchObject({ name: 'ConnectionError', again: 'never' });
    expect((error as Error).stack).not.toContain('s3cret');
  });

  test('TLS checks the server, by another name where one is given, and shows a client certificate', async () => {
    const { url, seen } = await startServer((_, response) => answer(response, {}), { secure: true });
    const get = (more: Partial<TransportConfig>) => transportTo(url, more).read({ method: 'GET', path: '/' });
    expect(await failure(get({}))).toMatchObject({ name: 'ConnectionError', again: 'never' });
    expect(await failure(get({ ca: CERTIFICATE }))).toMatchObject({ again: 'never' });
    await get({ ca: CERTIFICATE, tlsServerName: 'api.test', auth: { certificate: CERTIFICATE, key: KEY } });
    await get({ insecureSkipTlsVerify: true });
    expect(seen.map(({ client }) => client)).toEqual(['tiny-test', undefined]);
  });
});
