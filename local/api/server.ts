/**
 * The stand-in's API server: HTTPS on loopback. A request goes one way: its path is read, its sender is known, may
 * act as another and is allowed, the object is admitted, the verb does it, the audit log has it, it is answered.
 */
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Person } from '../../lib/api/meta.ts';
import { openAudit } from '../auth/audit.ts';
import { loadTokenKeys } from '../auth/tokens.ts';
import { StatusError } from '../types.ts';
import { contentTypeOf, readBody } from './body.ts';
import { type Answer, type Api, type Call, timestamp } from './call.ts';
import { loadCertificates } from './certificates.ts';
import { discovery } from './discovery.ts';
import { noSuchPath, statusOf } from './errors.ts';
import { startGarbageCollection } from './garbage.ts';
import { audited, enter, type Gate, type Trail } from './gate.ts';
import { parseTarget } from './path.ts';
import { Registry } from './resources.ts';
import { send, sendLog, sendWatch } from './send.ts';
import { Store } from './store.ts';
import type { Logs } from './subresources.ts';
import { verbOf } from './verbs.ts';

export interface ServerOptions {
  /** Holds everything that lasts: objects, keys, certificates, the audit log. */
  dataDir: string;
  /** 0 or absent: a free one. */
  port?: number;
  now: () => Date;
  /** People by their bearer token. */
  people: ReadonlyMap<string, Person>;
  /** Told what should not have happened. */
  log: (line: string) => void;
  logs?: Logs;
}

export interface ApiServer {
  url: string;
  caPem: string;
  close: () => Promise<void>;
}

/** All that serving a request needs. */
interface Site {
  api: Api;
  gate: Gate;
  options: ServerOptions;
}

const NAMESPACES = ['default', 'kube-system'];

/** Starts the server; it is ready when the promise resolves. Throws where the port is taken. */
export async function startApiServer(options: ServerOptions): Promise<ApiServer> {
  const { dataDir, now, people } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { ca, cert, key } = await loadCertificates(dataDir, now());
  const store = new Store(join(dataDir, 'objects.db'));
  const api = { store, registry: new Registry(store), now };
  const gate = { store, people, now, keys: loadTokenKeys(dataDir), audit: openAudit(join(dataDir, 'audit.log')) };
  furnish(api);
  const stopCollecting = startGarbageCollection(api);
  const site = { api, gate, options };
  const server = createServer({ cert, key }, (request, response) => void serve(site, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const close = async () => {
    stopCollecting();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    store.close();
    gate.audit.close();
  };
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caPem: ca, close };
}

async function serve(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { gate, options } = site;
  const trail: Trail = { received: gate.now(), target: parseTarget(request.method ?? 'GET', request.url ?? '/') };
  try {
    await answer(site, { request, response, trail });
  } catch (error) {
    const refusal = error instanceof StatusError ? error : unexpected(error, options.log);
    const body = statusOf(refusal);
    audited(gate, request, { trail, code: refusal.code, body });
    if (response.headersSent) response.destroy();
    else send(response, { code: refusal.code, body });
  }
}

function unexpected(error: unknown, log: (line: string) => void): StatusError {
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return new StatusError(500, {
    reason: 'InternalError',
    message: `Internal error occurred: ${(error as Error).message}`,
  });
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  trail: Trail;
}

async function answer(site: Site, { request, response, trail }: Exchange): Promise<void> {
  const attributes = enter(site.gate, request, trail);
  const { target } = trail;
  if (target.resource === '')
    return send(response, { code: 200, body: discovery(target.path, site.api.registry) ?? missing() });
  const resource = site.api.registry.find({ ...target, plural: target.resource }) ?? missing();
  const body = await readBody(request);
  trail.requestObject = body;
  const call: Call = {
    api: site.api,
    resource,
    attributes,
    query: target.query,
    body,
    contentType: contentTypeOf(request),
    accept: request.headers.accept ?? '',
    userAgent: request.headers['user-agent'] ?? '',
    warnings: [],
    admit: (object) => object,
  };
  if (attributes.verb === 'watch')
    return sendWatch(call, response, () => audited(site.gate, request, { trail, code: 200 }));
  if (attributes.subresource === 'log') return sendLog(call, response, site.options.logs);
  const result: Answer = verbOf(call)(call);
  audited(site.gate, request, { trail, ...result });
  send(response, result, call);
}

function missing(): never {
  throw noSuchPath();
}

/** The namespaces that every cluster has. */
function furnish({ store, now }: Api): void {
  for (const name of NAMESPACES.filter((each) => !store.get('namespaces', '', each))) {
    const metadata = {
      name,
      uid: crypto.randomUUID(),
      creationTimestamp: timestamp(now()),
      labels: { 'kubernetes.io/metadata.name': name },
    };
    const rest = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
    store.put('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata, ...rest });
  }
}
