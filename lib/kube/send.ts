/**
 * Sends bytes to a container's standard input, by a pod's `attach` over a WebSocket. Kubernetes puts a channel's number
 * before each message (0: standard input; 3: how it ended), and since 1.30 knows a message that ends one (v5).
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Header } from '../identity/impersonation-headers.ts';
import { impersonationHeaders } from '../identity/impersonation-headers.ts';
import { apiError, readText } from './answer.ts';
import type { ServerConfig } from './client.ts';
import { ConnectionError } from './errors.ts';
import { makeStarter } from './transport.ts';
import { framesOf, makeFrame, OPCODE } from './websocket.ts';

/** Sends all of `bytes`; resolves when the container's side has closed the connection, or `signal` aborts. */
export type Send = (path: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<void>;

const V5 = 'v5.channel.k8s.io';
const PROTOCOLS = `${V5}, v4.channel.k8s.io`;
const CHANNEL = { stdin: 0, status: 3, close: 255 } as const;

/** A sender to one API server, as whom `config` says. */
export function makeSend(config: ServerConfig & { userAgent: string; now: () => number }): Send {
  const start = makeStarter(config);
  const identity = config.impersonate ? impersonationHeaders(config.impersonate) : [];
  const open = async (path: string): Promise<Opened> => {
    const credentials = typeof config.auth === 'function' ? await config.auth() : (config.auth ?? {});
    const headers = [...identity, ...upgradeHeaders()];
    // What comes back is no object: the API server refuses JSON here, with 406.
    const request = start({ method: 'GET', path, headers, accept: '*/*', timeoutMs: 0 }, credentials);
    const opened = upgraded(request, { path, now: config.now });
    request.end();
    return opened;
  };
  return async (path, bytes, signal) => exchange(await open(path), bytes, signal);
}

const upgradeHeaders = (): Header[] => [
  ['connection', 'Upgrade'],
  ['upgrade', 'websocket'],
  ['sec-websocket-version', '13'],
  ['sec-websocket-key', randomBytes(16).toString('base64')],
  ['sec-websocket-protocol', PROTOCOLS],
];

async function exchange({ socket, protocol }: Opened, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const stop = () => socket.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.all([sendAll(socket, bytes, protocol === V5), ended(socket)]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

type Opened = { socket: Duplex; protocol: string };

/** The connection once the API server has switched to it. Throws `ApiError` where it refuses. */
function upgraded(request: ReturnType<ReturnType<typeof makeStarter>>, about: { path: string; now: () => number }) {
  return new Promise<Opened>((resolve, reject) => {
    request.once('upgrade', (response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ socket, protocol: String(response.headers['sec-websocket-protocol'] ?? '') });
    });
    request.once('response', (response) => void refused(response, about).then(reject, reject));
    request.once('error', (cause) => reject(new ConnectionError(`attaching failed: ${cause.message}`, { cause })));
  });
}

async function refused(response: IncomingMessage, { path, now }: { path: string; now: () => number }): Promise<Error> {
  const text = await readText(response, 1024 * 1024);
  const what = `GET ${path.replace(/\?.*/, '')}`;
  return apiError({ what, code: response.statusCode ?? 0, headers: response.headers, text, now: now() });
}

async function sendAll(socket: Duplex, bytes: AsyncIterable<Uint8Array>, canClose: boolean): Promise<void> {
  const write = async (channel: number, payload: Uint8Array) => {
    const message = Buffer.concat([Buffer.from([channel]), payload]);
    if (!socket.write(makeFrame(OPCODE.binary, message, randomBytes(4)))) await once(socket, 'drain');
  };
  for await (const piece of bytes) await write(CHANNEL.stdin, piece);
  if (canClose) await write(CHANNEL.close, Buffer.from([CHANNEL.stdin]));
}

/** Until the other side closes. Throws where it says that something went wrong. */
async function ended(socket: Duplex): Promise<void> {
  for await (const { opcode, payload } of framesOf(socket)) {
    if (opcode === OPCODE.ping) socket.write(makeFrame(OPCODE.pong, payload, randomBytes(4)));
    if (opcode !== OPCODE.binary && opcode !== OPCODE.text) continue;
    if (payload[0] === CHANNEL.status) checkStatus(payload.subarray(1).toString('utf8'));
  }
}

function checkStatus(text: string): void {
  const { status, message = text } = parsed(text);
  if (status === 'Failure') throw new ConnectionError(`the container's input was closed: ${message}`, {});
}

function parsed(text: string): { status?: string; message?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
