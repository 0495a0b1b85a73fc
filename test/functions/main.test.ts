import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Certificates, loadCertificates } from '../../local/api/certificates.ts';
import captured from '../fixtures/knative-events.json' with { type: 'json' };
import { freePort } from '../lib/kube/fake.ts';

const TOKEN = 'a-token-of-the-function';
const folder = mkdtempSync(join(tmpdir(), 'tiny-function-'));
let certificates: Certificates;

beforeAll(async () => {
  certificates = await loadCertificates(folder, new Date());
  writeFileSync(join(folder, 'token'), TOKEN);
  writeFileSync(join(folder, 'ca.crt'), certificates.ca);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** An API server that answers as it is told, and keeps each request until `answer` is called. */
async function apiServer() {
  const waiting: ServerResponse[] = [];
  const seen: (string | undefined)[] = [];
  const arrived = Promise.withResolvers<void>();
  const listener: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    waiting.push(response);
    arrived.resolve();
  };
  const server = createServer({ cert: certificates.cert, key: certificates.key }, listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const answer = (code: number, body: object) => {
    for (const response of waiting.splice(0)) {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  };
  return { port: (server.address() as AddressInfo).port, seen, arrived: arrived.promise, answer };
}

function start(name: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [`dist/functions/${name}.cjs`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended, output: () => output };
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

async function until(port: number, listens: boolean, child: ChildProcess): Promise<void> {
  while ((await isListening(port)) !== listens) {
    if (child.exitCode !== null) throw new Error('the function has ended');
    // Asks again and again, but leaves the processor to the function.
    await setTimeout(20);
  }
}

async function running(name: string) {
  const api = await apiServer();
  const port = await freePort();
  const env = {
    PORT: String(port),
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(api.port),
    TINY_CREDENTIALS: folder,
  };
  const started = start(name, env);
  await until(port, true, started.child);
  return { ...started, api, port };
}

const GONE = { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found', details: { name: 'f1' } };

const post = (port: number) => {
  const [{ headers, body } = { headers: {}, body: '' }] = captured;
  const { 'content-length': _, ...sent } = headers as Record<string, string>;
  return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: sent, body });
};

describe('a function', () => {
  test('that is told to end takes nothing new, finishes what is under way, and ends well', async () => {
    const { api, child, ended, output, port } = await running('session');
    const answer = post(port);
    await api.arrived;
    child.kill('SIGTERM');
    await until(port, false, child);
    expect(child.exitCode).toBeNull();
    api.answer(404, GONE);
    expect((await answer).status).toBe(202);
    expect(await ended).toEqual([0, null]);
    expect(api.seen).toEqual([`GET /apis/tiny.dev/v1alpha1/namespaces/team-a/sessions/f1 Bearer ${TOKEN}`]);
    const lines = output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([expect.objectContaining({ function: 'session', name: 'f1', outcome: 'done', msg: 'gone' })]);
    expect(output().match(/"name"/g), 'each key once').toHaveLength(1);
    expect(output()).not.toContain(TOKEN);
  });

  test('with nothing to do ends at once', async () => {
    const { child, ended, output } = await running('question');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(output()).toBe('');
  });
});

test('with an environment that is wrong a function ends with the names of what is, and no value', async () => {
  const { ended, output } = start('session', { PORT: 'hunter2' });
  expect(await ended).toEqual([1, null]);
  expect(output()).toContain('the environment lacks or has an unusable PORT, KUBERNETES_SERVICE_HOST; ');
  expect(output()).not.toContain('hunter2');
});
