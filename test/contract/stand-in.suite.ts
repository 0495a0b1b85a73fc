/**
 * The same cases against the stand-in, for what it has: it stamps in code, and evaluates roles and impersonation. What
 * the settings of a project rule, and the pods of a real ReplicaSet, it has not.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { actingCases } from './acting.ts';
import { answeredCases } from './answered.ts';
import { applyCases } from './apply.ts';
import { matrixCases } from './matrix.ts';
import { askingCases, stampCases } from './policies.ts';
import { raceCases } from './races.ts';
import { rightsCases } from './rights.ts';
import { startStandIn } from './stand-in.ts';
import { startWorld, type World } from './world.ts';

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
  applyCases(() => world);
});
