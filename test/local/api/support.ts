/** A stand-in's API server in a temporary folder, and raw HTTPS to it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type ServerOptions, startApiServer } from '../../../local/api/server.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Body = any;

export interface Reply {
  code: number;
  body: Body;
  warnings: string[];
}

/** `method` is one of HTTP, or `MERGE`, `JSON` and `APPLY` for a patch of that type, `TABLE` for a GET of a table. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Reply>;

const METHODS: Record<string, [method: string, headers: Record<string, string>]> = {
  MERGE: ['PATCH', { 'content-type': 'application/merge-patch+json' }],
  JSON: ['PATCH', { 'content-type': 'application/json-patch+json' }],
  APPLY: ['PATCH', { 'content-type': 'application/apply-patch+yaml' }],
  TABLE: ['GET', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }],
};

export const PEOPLE = new Map([
  ['admin', { username: 'admin', groups: ['system:masters'] }],
  ['alice', { username: 'alice', groups: ['team'] }],
]);
/** Asks as `token`. */
export function asker(url: string, ca: string, token = 'admin'): Ask {
  const agent = new Agent({ ca, keepAlive: true });
  return (verb, path, body) =>
    new Promise((resolve, reject) => {
      const [method, special] = METHODS[verb] ?? [verb, {}];
      const data = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const type = Buffer.isBuffer(body) ? 'application/vnd.kubernetes.protobuf' : 'application/json';
      const headers = {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(data && { 'content-type': type, 'content-length': Buffer.byteLength(data) }),
        ...special,
      };
      const sent = request(url + path, { method, agent, headers }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        const json = response.headers['content-type']?.includes('json') && !path.includes('watch=');
        const warnings = [response.headers.warning ?? []].flat();
        resolve({ code: response.statusCode ?? 0, body: json ? JSON.parse(text) : text, warnings });
      });
      sent.on('error', reject).end(data);
    });
}

/** The events of a watch, as they come; `close` ends it. */
export async function watching(url: string, ca: string, { path = '', accept = 'application/json' }) {
  const events: Body[] = [];
  let wake = () => {};
  const sent = request(url + path, { ca, headers: { authorization: 'Bearer admin', accept } });
  sent.on('error', () => {}).end();
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) => sent.once('response', resolve));
  let rest = '';
  response
    .on('error', () => {})
    .on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      events.push(...lines.map((line) => JSON.parse(line)));
      wake();
    });
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  return {
    events,
    ended,
    close: () => sent.destroy(),
    /** Waits until there are so many events. */
    until: async (count: number) => {
      while (events.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return events.slice(0, count).map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason}`);
    },
  };
}

export interface Server {
  url: string;
  ca: string;
  dataDir: string;
  ask: Ask;
  as: (token: string) => Ask;
  watch: (path: string) => ReturnType<typeof watching>;
  /** Ends the server and starts it anew on the same data. */
  restart: () => Promise<void>;
  close: () => Promise<void>;
}

/** Starts a server with tiny's own definitions and the namespace `work`. */
export async function startServer(options: Partial<ServerOptions> = {}): Promise<Server> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tiny-api-'));
  const start = () =>
    startApiServer({
      ...{ dataDir, now: () => new Date(), people: PEOPLE },
      log: (line) => process.stderr.write(`${line}\n`),
      ...options,
    });
  let api = await start();
  const server: Server = {
    url: api.url,
    ca: api.caPem,
    dataDir,
    ask: asker(api.url, api.caPem),
    as: (token) => asker(server.url, server.ca, token),
    watch: (path) => watching(server.url, server.ca, { path }),
    restart: async () => {
      await api.close();
      api = await start();
      Object.assign(server, { url: api.url, ask: asker(api.url, api.caPem) });
    },
    close: async () => {
      await api.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  for (const crd of definitions()) await server.ask('POST', CRDS, crd);
  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'work' } });
  return server;
}

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const SESSIONS = '/apis/tiny.dev/v1alpha1/namespaces/work/sessions';
export const QUESTIONS = '/apis/tiny.dev/v1alpha1/namespaces/work/questions';
export const CORE = '/api/v1/namespaces/work';

const folder = new URL('../../../crds/', import.meta.url);

export const definitions = (): unknown[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml') && !file.startsWith('kustomization'))
    .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((each) => each.toJS()));

export const session = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'tiny.dev/v1alpha1',
  kind: 'Session',
  metadata: { name, ...metadata },
  spec: { prompt: 'hello', agent: { name: 'rehearsal' }, ...spec },
});

/** Waits until `read` gives something other than `undefined` or `false`. */
export async function eventually<T>(read: () => Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const value = await read();
    if (value) return value as NonNullable<T>;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
