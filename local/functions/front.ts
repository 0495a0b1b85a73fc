/**
 * The HTTP front of a function: holds a request until the process listens, then passes it on unchanged. The body is
 * read first, so that a caller who gave up meanwhile is still heard, as with Knative's activator.
 */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { messageOf } from '../controllers/loop.ts';
import { type Instance, NotStarted } from './instance.ts';

interface Passing {
  port: number;
  incoming: IncomingMessage;
  body: Buffer;
  signal: AbortSignal;
}

const pass = ({ port, incoming, body, signal }: Passing, response: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    const { method, url: path, rawHeaders: headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, signal, agent: false }, (answer) => {
      response.sendDate = false;
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.once('error', reject).once('end', resolve).pipe(response);
    });
    outgoing.once('error', reject).end(body);
  });

/** Far more than an event has, bytes. */
const MAX_BODY = 8 * 1024 * 1024;

/** The body; `undefined` where it is longer than `MAX_BODY`, and what is left of it is not read. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Rejects with the signal's reason where it aborts first. */
const within = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });

const codeOf = (error: unknown, signal: AbortSignal): number => {
  if (signal.aborted) return 504;
  return error instanceof NotStarted ? 503 : 502;
};

/** Answers 400 to a body without measure, as a function does itself, 504 past the function's timeout, 503 where it does not start, 502 where it ends in the middle. */
export async function serve(instance: Instance, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const signal = AbortSignal.timeout(instance.wanted.timeoutMs);
  try {
    const body = await bodyOf(incoming);
    if (!body) return void response.writeHead(400, { connection: 'close' }).end(() => incoming.destroy());
    await within(
      signal,
      instance.use((port) => pass({ port, incoming, body, signal }, response)),
    );
  } catch (error) {
    if (response.headersSent) response.destroy();
    else response.writeHead(codeOf(error, signal), { 'content-type': 'text/plain' }).end(messageOf(error));
  }
}
