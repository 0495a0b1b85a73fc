/**
 * A gate before the framework's server: the framework's body parsers read up to 1 GiB, unpack what is compressed and
 * print part of a malformed body. Here every body stays the plain bytes that were sent, and is read no further than needed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { getTestServer } from '@google-cloud/functions-framework/testing';

/** Where the gate keeps the content type while the framework is to leave the body alone. */
export const CONTENT_TYPE = 'x-tiny-content-type';

export interface Gate {
  maxBytes: number;
  /** What is answered to a longer body. */
  tooLong: number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** The framework's server of the function `name`, behind the gate and not yet listening. */
export function gated(name: string, gate: Gate): Server {
  const server = getTestServer(name);
  const [framework] = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.headers[CONTENT_TYPE] = request.headers['content-type'];
    request.headers['content-type'] = 'application/octet-stream';
    delete request.headers['content-encoding'];
    if (isShort(request, response, gate)) framework?.(request, response);
  });
  return server;
}

/** Whether no more than is taken is announced. Answers and hangs up at once, or when more has come. */
function isShort(request: IncomingMessage, response: ServerResponse, { maxBytes, tooLong }: Gate): boolean {
  let bytes = 0;
  const refuse = () => {
    if (!response.headersSent) response.writeHead(tooLong, { connection: 'close' }).end();
    request.destroy();
  };
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) refuse();
  });
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) refuse();
  return announced <= maxBytes;
}
