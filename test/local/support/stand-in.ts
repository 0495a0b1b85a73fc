/** The stand-in's API server in a temporary folder with an administrator's client, and what tests wait with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { makeClient } from '../../../lib/kube/client.ts';
import { type Client, DEPLOYMENTS, type ResourceType } from '../../../lib/kube/types.ts';
import { startApiServer } from '../../../local/api/server.ts';
import type { Logs } from '../../../local/api/subresources.ts';
import type { World } from '../../../local/controllers/loop.ts';
import type { NodeOptions } from '../../../local/node/container.ts';
import type { Pod } from '../../../local/node/pod.ts';
import { hostOf } from './host.ts';

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

export async function startStandIn(logs?: Logs): Promise<StandIn> {
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

/** An object of `apiVersion/kind`, such as `apps/v1/Deployment`. */
export const object = <T extends object>(type: string, metadata: KubeObject['metadata'], rest?: T) => {
  const at = type.lastIndexOf('/');
  return { apiVersion: type.slice(0, at), kind: type.slice(at + 1), metadata, ...rest } as KubeObject & T;
};

/** Waits until `read` gives something other than `undefined`, `false` or an empty list. */
export async function until<T>(what: string, read: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const end = Date.now() + 8000; Date.now() < end; ) {
    const value = await read();
    if (value && !(Array.isArray(value) && value.length === 0)) return value as NonNullable<T>;
    await setTimeout(10);
  }
  return expect.fail(`waited for ${what} in vain`);
}

/** A container that runs a line of JavaScript. */
export const script = (name: string, code: string, rest: object = {}) => ({
  name,
  image: 'tiny.dev/test:1',
  command: ['node', '-e', code],
  ...rest,
});

export const pod = (name: string, spec: object): Pod =>
  object(
    'v1/Pod',
    { name, namespace: 'team-a' },
    { spec: { nodeName: 'tiny-stand-in', terminationGracePeriodSeconds: 1, ...spec } },
  ) as unknown as Pod;

/** Runs until it gets SIGTERM. */
export const FOREVER = 'setInterval(() => {}, 1000)';
