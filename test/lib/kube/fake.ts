/** An API server that answers as a test says, and a clock that does not wait. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../lib/kube/clock.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
export const CERTIFICATE = fixture('cert.pem');
export const KEY = fixture('key.pem');

export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  /** In the order they came, names in lower case, values as bytes. */
  headers: [name: string, value: string][];
  body: string;
  /** Tells connections apart. */
  connection: number;
  /** The common name of the client's certificate. */
  client: string | undefined;
}

export type Handler = (seen: Seen, response: ServerResponse) => void;

async function note(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const url = new URL(request.url ?? '', 'http://server');
  const raw = request.rawHeaders;
  const certificate = (request.socket as Partial<TLSSocket>).getPeerCertificate?.();
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: raw.flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), raw[i + 1] ?? '']])),
    body: Buffer.concat(chunks).toString(),
    connection: request.socket.remotePort ?? 0,
    client: certificate?.subject?.CN as string | undefined,
  };
}

/** Starts on a free port; ends with the test. */
export async function startServer(handler: Handler, { secure = false } = {}) {
  const seen: Seen[] = [];
  const listen: RequestListener = async (request, response) => {
    const noted = await note(request);
    seen.push(noted);
    handler(noted, response);
  };
  const tls = { cert: CERTIFICATE, key: KEY, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: false };
  const server = secure ? createSecureServer(tls, listen) : createServer(listen);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    url: `${secure ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close,
    server,
  };
}

export function answer(response: ServerResponse, body: unknown, { code = 200, headers = {} } = {}) {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A refusal as `metav1.Status`. */
export function refuse(response: ServerResponse, code: number, status: Record<string, unknown> = {}) {
  answer(response, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...status }, { code });
}

/** Time passes by sleeping alone. */
export function fakeClock() {
  const slept: number[] = [];
  let time = 1_000_000;
  const clock: Clock = {
    now: () => time,
    random: () => 1,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      time += ms;
    },
  };
  const pass = (ms: number) => {
    time += ms;
  };
  return { clock, slept, pass };
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Breaks a connection so that the other side sees a reset. */
export const reset = (response: ServerResponse) => {
  if (response.socket instanceof Socket) response.socket.resetAndDestroy();
};

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
}
