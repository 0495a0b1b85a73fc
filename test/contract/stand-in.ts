/** The stand-in's API server in the place of a real one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClient } from '../../lib/kube/client.ts';
import { startApiServer } from '../../local/api/server.ts';
import type { TestEngineOptions } from '../support/engine.ts';
import type { Server } from './world.ts';

const ADMIN = { username: 'tiny:engine-admin', groups: ['system:masters'] };

/** Started; `stop` removes its folder. */
export async function startStandIn({ people = new Map() }: TestEngineOptions): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-contract-'));
  const all = new Map([...people, ['admin', ADMIN]]);
  const server = await startApiServer({ dataDir: folder, now: () => new Date(), people: all, log: () => undefined });
  const { url, caPem } = server;
  const clientOf = (token: string, fieldManager = 'test') =>
    makeClient({ server: url, ca: caPem, auth: { token }, fieldManager });
  const stop = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, caPem, clientOf, admin: clientOf('admin'), auditLog: join(folder, 'audit.log'), stop };
}
