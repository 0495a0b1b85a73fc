/**
 * A proxy between a function and the API server, which kills the function's process after a chosen write: the write
 * has been done, the function has not learnt it. The product's own code knows nothing of it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server, request as send } from 'node:https';
import { join } from 'node:path';
import { listen } from '../../local/functions/port.ts';
import { SERVICES } from '../../local/functions/service.ts';
import type { Local } from './local.ts';
import { until } from './local.ts';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export interface KillProxy {
  /** How many kills there were. */
  kills: number;
  /** Kills the function once, after `count` writes of a request about `name`; 0 is before the first. */
  arm(name: string, count: number): void;
  stop(): Promise<void>;
}

/** Puts the proxy before one function of the cluster. */
export async function killProxy(local: Local, name: 'session' | 'question'): Promise<KillProxy> {
  const { ca, cert, key } = JSON.parse(readFileSync(join(local.data, 'certificates.json'), 'utf8'));
  const armed = { name: '', left: -1 };
  const proxy: KillProxy = {
    kills: 0,
    arm: (about, count) => void Object.assign(armed, { name: about, left: count }),
    stop: () => close(server),
  };
  const upstream = Number(new URL(local.server).port);
  const kill = async () => {
    armed.left = -1;
    proxy.kills++;
    await killFunction(local, name);
  };
  const isMeant = ({ method = '', url = '' }: IncomingMessage, body: Buffer) =>
    armed.left >= 0 && WRITES.has(method) && (url.includes(armed.name) || body.includes(`"${armed.name}`));
  const pass = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat((await incoming.toArray()) as Buffer[]);
    const meant = isMeant(incoming, body);
    if (meant && armed.left === 0) return kill();
    const { method, url: path, rawHeaders } = incoming;
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      send({ host: '127.0.0.1', port: upstream, method, path, headers: rawHeaders, ca }, resolve)
        .once('error', reject)
        .end(body),
    );
    const data = Buffer.concat((await answer.toArray()) as Buffer[]);
    if (meant && --armed.left === 0) return kill();
    response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? '' }).end(data);
  };
  const server = createServer({ cert, key }, (...both) => void pass(...both).catch(() => both[1].destroy()));
  await lead(local, name, await listen(server as unknown as Parameters<typeof listen>[0]));
  return proxy;
}

/** Points the function at the proxy and ends the process that knows nothing of it. */
async function lead(local: Local, name: string, port: number): Promise<void> {
  const ref = { namespace: 'tiny-system', name };
  const value = { name: 'KUBERNETES_SERVICE_PORT', value: String(port) };
  const path = '/spec/template/spec/containers/0/env/-';
  await local.client().patch(SERVICES, ref, { type: 'json', body: [{ op: 'add', path, value }] });
  await until('the function to be led anew', async () => {
    const service = await local.client().get(SERVICES, ref);
    const status = service?.status as { observedGeneration?: number } | undefined;
    return status?.observedGeneration === service?.metadata.generation;
  });
  await local.functionsAtZero();
}

const pidsOf = (local: Local, name: string): number[] => {
  const folder = join(local.data, 'node/functions/pods', name, 'pids');
  try {
    return readdirSync(folder)
      .map((file) => Number.parseInt(readFileSync(join(folder, file), 'utf8'), 10))
      .filter((pid) => pid > 1);
  } catch {
    return [];
  }
};

async function killFunction(local: Local, name: string): Promise<void> {
  for (const pid of pidsOf(local, name)) process.kill(-pid, 'SIGKILL');
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
