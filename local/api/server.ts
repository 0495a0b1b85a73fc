/** The stand-in's API server: HTTPS on loopback, with a certificate of its own and everything it keeps in one folder. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openAudit } from '../auth/audit.ts';
import { tokenKeys } from '../auth/tokens.ts';
import { type Attach, serveUpgrade } from './attach.ts';
import type { Api } from './call.ts';
import { loadCertificates } from './certificates.ts';
import { furnish } from './furnish.ts';
import { startGarbageCollection } from './garbage.ts';
import { Registry } from './resources.ts';
import { serve } from './serve.ts';
import { Store } from './store.ts';
import type { Logs } from './subresources.ts';

export interface ServerOptions extends Pick<Api, 'people' | 'now' | 'log'> {
  /** Holds everything that lasts: objects, certificates, the audit log (`audit.log`). */
  dataDir: string;
  /** 0 or absent: a free one. */
  port?: number;
  logs?: Logs;
  attach?: Attach;
  /** How many changes watches may be behind; default 2000. */
  history?: number;
}

export interface ApiServer {
  url: string;
  caPem: string;
  close: () => Promise<void>;
}

/** Milliseconds; longer than a client keeps an idle connection, so that it is never closed under a request. */
const KEEP_ALIVE = 75_000;

/** Starts the server; it is ready when the promise resolves. Throws where the port is taken. */
export async function startApiServer(options: ServerOptions): Promise<ApiServer> {
  const { dataDir, now, people, log, logs, attach } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { ca, cert, key } = await loadCertificates(dataDir, now());
  const store = new Store(join(dataDir, 'objects.db'), options.history);
  const audit = openAudit(join(dataDir, 'audit.log'));
  const api: Api = {
    store,
    registry: new Registry(store),
    now,
    people,
    keys: tokenKeys(key),
    audit,
    log,
    logs,
    attach,
  };
  furnish(store, now());
  const stopCollecting = startGarbageCollection(api);
  const answering = new Set<Promise<void>>();
  const server = createServer({ cert, key, keepAliveTimeout: KEEP_ALIVE }, (request, response) => {
    const answered = new Promise<void>((resolve) => {
      response.once('close', resolve);
    }).finally(() => answering.delete(answered));
    answering.add(answered);
    void serve(api, request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    if (head.length > 0) socket.unshift(head);
    void serveUpgrade(api, request, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const close = async () => {
    stopCollecting();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    // A watch is written into the audit log when its answer has ended, which is a moment after its connection has.
    await Promise.all(answering);
    store.close();
    audit.close();
  };
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caPem: ca, close };
}
