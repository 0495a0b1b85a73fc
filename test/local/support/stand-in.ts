/** The stand-in's API server in a temporary folder with an administrator's client. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClient } from '../../../lib/kube/client.ts';
import { type Client, DEPLOYMENTS, type ResourceType } from '../../../lib/kube/types.ts';
import type { Attach } from '../../../local/api/attach.ts';
import { startApiServer } from '../../../local/api/server.ts';
import type { Logs } from '../../../local/api/subresources.ts';
import type { World } from '../../../local/controllers/loop.ts';
import type { NodeOptions } from '../../../local/node/container.ts';
import { hostOf } from './host.ts';
import { object } from './objects.ts';

export const NAMESPACES = {
  ...DEPLOYMENTS,
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
} as ResourceType;
const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

export interface StandIn {
  url: string;
  caPem: string;
  folder: string;
  client: Client;
  world: World;
  lines: string[];
  node: NodeOptions;
  close: () => Promise<void>;
}

export async function startStandIn(logs?: Logs, attach?: Attach): Promise<StandIn> {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-'));
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const people = new Map([['admin-token', ADMIN]]);
  const server = await startApiServer({
    dataDir: join(folder, 'api'),
    now: () => new Date(),
    people,
    log,
    ...(logs ? { logs } : {}),
    ...(attach ? { attach } : {}),
  });
  const client = makeClient({
    server: server.url,
    ca: server.caPem,
    auth: { token: 'admin-token' },
    fieldManager: 'stand-in',
  });
  for (const name of ['team-a', 'tiny-system']) await client.create(NAMESPACES, object('v1/Namespace', { name }));
  const world = { client, now: () => new Date(), random: Math.random, log };
  const { hostname: host, port } = new URL(server.url);
  const close = async () => {
    // A round trip: by then the server has seen the end of the watches that a test has stopped.
    await client.list(NAMESPACES);
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const node = { ...world, ...hostOf(folder), apiServer: { host, port: Number(port) }, backOffMs: 20, retryMs: 20 };
  return { url: server.url, caPem: server.caPem, folder, client, world, lines, node, close };
}
