/**
 * A pod's `attach`, over a WebSocket: what comes on the channel of the standard input goes to the container. Output is in
 * its log alone: there is no terminal here, and no `exec`.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { ApiError } from '../../lib/kube/errors.ts';
import { acceptOf, framesOf, makeFrame, OPCODE } from '../../lib/kube/websocket.ts';
import type { Api, Call } from './call.ts';
import { badRequest, internal, noSuchPath, statusOf } from './errors.ts';
import { audited, check, enter, type Trail } from './gate.ts';
import { parseTarget } from './path.ts';
import { containerOf, type LogTarget } from './subresources.ts';

/** The standard input of a container. */
export type Attach = (target: LogTarget) => Promise<Writable>;

const PROTOCOL = 'v5.channel.k8s.io';
const CHANNEL = { stdin: 0, status: 3, close: 255 } as const;

/** Answers a request to switch protocols; never throws. */
export async function serveUpgrade(api: Api, request: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on('error', () => {});
  const trail: Trail = { request, received: api.now(), target: parseTarget(request.method ?? '', request.url ?? '') };
  try {
    const stdin = await opened(api, trail);
    audited(api, trail, { code: 101, body: {} });
    accept(request, socket);
    await pass(socket, stdin);
  } catch (error) {
    refuse(api, trail, { socket, error });
  }
}

/** As kube-apiserver: who attaches needs `get`, and since 1.35 `create`, too. */
async function opened(api: Api, trail: Trail): Promise<Writable> {
  const { target, request } = trail;
  const attributes = enter(api, trail);
  check(api, { ...attributes, verb: 'create' });
  const resource = api.registry.find({ ...target, plural: target.resource });
  if (!resource || target.subresource !== 'attach' || !api.attach) throw noSuchPath();
  if (!String(request.headers['sec-websocket-protocol']).includes(PROTOCOL))
    throw badRequest(`only ${PROTOCOL} is spoken here`);
  const { query } = target;
  const call: Call = { api, attributes, resource, query, headers: request.headers, body: undefined, warnings: [] };
  return api.attach({ namespace: attributes.namespace, pod: attributes.name, container: containerOf(call) });
}

function accept({ headers }: IncomingMessage, socket: Duplex): void {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${acceptOf(headers['sec-websocket-key'] ?? '')}`,
    `Sec-WebSocket-Protocol: ${PROTOCOL}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
}

/** Until the input is closed by either side. */
async function pass(socket: Duplex, stdin: Writable): Promise<void> {
  const closed = new Promise<void>((resolve) => stdin.once('close', resolve));
  const status = Buffer.concat([Buffer.from([CHANNEL.status]), Buffer.from('{"status":"Success"}')]);
  void closed.then(() =>
    socket.end(Buffer.concat([makeFrame(OPCODE.binary, status), makeFrame(OPCODE.close, Buffer.alloc(0))])),
  );
  for await (const { opcode, payload } of framesOf(socket)) {
    if (opcode === OPCODE.binary && payload[0] === CHANNEL.stdin) await write(stdin, payload.subarray(1), closed);
    if (opcode === OPCODE.binary && payload[0] === CHANNEL.close) stdin.end();
  }
  stdin.end();
}

async function write(stdin: Writable, bytes: Buffer, closed: Promise<void>): Promise<void> {
  if (stdin.destroyed || stdin.write(bytes)) return;
  await Promise.race([new Promise((resolve) => stdin.once('drain', resolve)), closed]);
}

function refuse(api: Api, trail: Trail, { socket, error }: { socket: Duplex; error: unknown }): void {
  const refusal = error instanceof ApiError ? error : internal(`Internal error occurred: ${(error as Error).message}`);
  const body = statusOf(refusal);
  audited(api, trail, { code: refusal.code, body });
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${refusal.code} Refused`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
