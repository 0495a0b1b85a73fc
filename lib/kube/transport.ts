/**
 * One HTTP exchange with the API server, over node's own client: `fetch` joins several `Impersonate-Group` values
 * into one line, which names another group; node sends them apart, keeps connections alive, and costs a cold start
 * nothing.
 */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { Header } from '../identity/impersonation-headers.ts';
import { apiError, readText } from './answer.ts';
import { connectionError } from './connection-error.ts';

/** What proves who the client is. PEM for `certificate` and `key`. */
export interface Credentials {
  token?: string | undefined;
  certificate?: string | Buffer | undefined;
  key?: string | Buffer | undefined;
}

export interface TransportConfig {
  /** The API server's URL; a path in it comes before every path asked for. */
  server: string;
  /** PEM. Default: the roots that node trusts. */
  ca?: string | Buffer | undefined;
  insecureSkipTlsVerify?: boolean | undefined;
  /** The name that the server's certificate must hold, where it is not the URL's host. */
  tlsServerName?: string | undefined;
  /** An http:// or https:// proxy. */
  proxyUrl?: string | undefined;
  /** A function is asked before each request, since tokens rotate. */
  auth?: Credentials | (() => Promise<Credentials>) | undefined;
  userAgent: string;
  /** Silence after which a request has failed, milliseconds. Default 30 s. */
  timeoutMs?: number | undefined;
  /** Default 64 MiB. */
  maxAnswerBytes?: number | undefined;
  /** Gets the `Date` header of each answer. */
  heard?: ((date: string | undefined) => void) | undefined;
  now: () => number;
}

export interface Exchange {
  method: string;
  /** With the query. */
  path: string;
  headers?: readonly Header[] | undefined;
  /** Default: JSON. */
  accept?: string | undefined;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Instead of the transport's own. */
  timeoutMs?: number | undefined;
}

export interface Transport {
  /** The body as it comes. @throws ApiError, ConnectionError, or `signal`'s reason. */
  open(exchange: Exchange): Promise<AsyncIterable<Buffer>>;
  /** The whole body. @throws as `open`. */
  read(exchange: Exchange): Promise<string>;
}

/** Shorter than the API server's 90 s, so that a connection is dropped here before it goes stale there. */
const IDLE_CONNECTION_MS = 60_000;
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const silence = (ms: number) => Object.assign(new Error(`no answer within ${ms / 1000} s`), { code: 'ETIMEDOUT' });

/**
 * Sends the body as bytes: of a string, node would make one string with the header and UTF-8-encode the header's bytes
 * again. It says the length: node leaves it out for a DELETE, and the server would take the body for the next request.
 */
function finish(sent: ClientRequest, body: string | undefined) {
  if (body === undefined) return sent.end();
  const bytes = Buffer.from(body);
  return sent.setHeader('content-length', bytes.length).end(bytes);
}

/** Sends, and resolves with the answer's head. Silence and `signal` end it at any time, the body's included. */
function send(start: () => ClientRequest, { body, signal, timeoutMs = TIMEOUT_MS }: Exchange) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = start();
    let current: ClientRequest | IncomingMessage = sent;
    const abort = () => current.destroy(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    sent.on('close', () => signal?.removeEventListener('abort', abort));
    sent.on('timeout', () => current.destroy(silence(timeoutMs)));
    sent.on('error', reject);
    sent.on('response', (response) => {
      current = response;
      resolve(response);
    });
    finish(sent, body);
  });
}

/** Node sends each value of a list in a line of its own. */
function grouped(headers: readonly Header[]): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const [name, value] of headers) {
    lists[name] ??= [];
    lists[name].push(value);
  }
  return lists;
}

/** How each request is started: TLS or not, agent, proxy, headers. */
export function makeStarter(config: TransportConfig) {
  const url = new URL(config.server);
  const secure = url.protocol === 'https:';
  const proxy = config.proxyUrl && { proxyEnv: { HTTP_PROXY: config.proxyUrl, HTTPS_PROXY: config.proxyUrl } };
  const pool = { keepAlive: true, timeout: IDLE_CONNECTION_MS, ...proxy };
  const base: RequestOptions = {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port || (secure ? 443 : 80),
    agent: secure ? new Agent(pool) : new PlainAgent(pool),
    ...(config.ca && { ca: config.ca }),
    ...(config.tlsServerName && { servername: config.tlsServerName }),
    ...(config.insecureSkipTlsVerify && { rejectUnauthorized: false }),
  };
  const prefix = url.pathname.replace(/\/$/, '');
  return (exchange: Exchange, credentials: Credentials) => {
    const { method, path, accept = 'application/json', timeoutMs = TIMEOUT_MS } = exchange;
    const { token, certificate, key } = credentials;
    const headers = grouped([
      ['user-agent', config.userAgent],
      ['accept', accept],
      ...(token ? [['authorization', `Bearer ${token}`] as const] : []),
      ...(exchange.headers ?? []),
    ]);
    const identity = certificate && key ? { cert: certificate, key } : {};
    const options = { ...base, ...identity, method, path: prefix + path, headers, timeout: timeoutMs };
    return (secure ? request : plainRequest)(options);
  };
}

async function* chunksOf(response: IncomingMessage, failed: (error: unknown) => unknown) {
  try {
    for await (const chunk of response) yield chunk as Buffer;
  } catch (error) {
    throw failed(error);
  }
}

const isSuccess = (code: number) => code >= 200 && code < 300;

/** A connection pool to one API server. Idle connections keep no process alive. */
export function makeTransport(config: TransportConfig): Transport {
  const start = makeStarter(config);
  const limit = config.maxAnswerBytes ?? MAX_ANSWER_BYTES;
  const authenticate = async () => (typeof config.auth === 'function' ? config.auth() : (config.auth ?? {}));

  const open = async (asked: Exchange): Promise<AsyncIterable<Buffer>> => {
    const exchange = { timeoutMs: config.timeoutMs, ...asked };
    const { signal, method, path } = exchange;
    const failed = (error: unknown) => (signal?.aborted ? signal.reason : connectionError(config.server, error));
    signal?.throwIfAborted();
    const credentials = await authenticate().catch((error) => Promise.reject(failed(error)));
    const response = await send(() => start(exchange, credentials), exchange).catch((e) => Promise.reject(failed(e)));
    config.heard?.(response.headers.date);
    const chunks = chunksOf(response, failed);
    const code = response.statusCode ?? 0;
    if (isSuccess(code)) return chunks;
    const said = await readText(chunks, limit);
    // A proxy's error page may show the request.
    const text = credentials.token ? said.replaceAll(credentials.token, '…') : said;
    const what = `${method} ${path.replace(/\?.*/, '')}`;
    throw apiError({ what, code, headers: response.headers, text, now: config.now() });
  };
  return { open, read: async (exchange) => readText(await open(exchange), limit) };
}
