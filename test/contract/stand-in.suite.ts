/**
 * The same cases against the stand-in, for what it has: it stamps in code, and evaluates roles and impersonation. What
 * the settings of a project rule, and the pods of a real ReplicaSet, it has not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { makeClient } from '../../lib/kube/client.ts';
import { startApiServer } from '../../local/api/server.ts';
import type { TestEngineOptions } from '../support/engine.ts';
import { actingCases } from './acting.ts';
import { answeredCases } from './answered.ts';
import { matrixCases } from './matrix.ts';
import { askingCases, stampCases } from './policies.ts';
import { raceCases } from './races.ts';
import { rightsCases } from './rights.ts';
import { type Server, startWorld, type World } from './world.ts';

const ADMIN = { username: 'tiny:engine-admin', groups: ['system:masters'] };

async function startStandIn({ people = new Map() }: TestEngineOptions): Promise<Server> {
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

describe('on the stand-in', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({}, startStandIn);
    await world.install(['rbac']);
  });
  afterAll(() => world?.engine.stop());

  stampCases(() => world);
  askingCases(() => world);
  answeredCases(() => world);
  matrixCases(() => world);
  actingCases(() => world);
  raceCases(() => world);
  rightsCases(() => world);
});
