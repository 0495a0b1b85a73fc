/**
 * What the API server holds to: in one file, so that one server is enough and the rights that were used can be counted
 * at the end.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { engineBinaries } from '../support/engine.ts';
import { actingCases, boundCases } from './acting.ts';
import { agentCases } from './agent.ts';
import { answeredCases, collectedCases } from './answered.ts';
import { applyCases, proposingCases } from './apply.ts';
import { auditCases } from './audit.ts';
import { githubCases } from './github.ts';
import { installCases } from './install.ts';
import { matrixCases } from './matrix.ts';
import { askingCases, guardCases, stampCases } from './policies.ts';
import { projectAdminCases } from './project-admin.ts';
import { quotaCases, raceCases } from './races.ts';
import { rightsCases } from './rights.ts';
import { schemaCases } from './schemas.ts';
import { settingsCases } from './settings.ts';
import { slackCases } from './slack.ts';
import { spawnCases } from './spawn.ts';
import { sweepCases } from './sweep.ts';
import { volumesCases } from './volumes.ts';
import { startWorld, type World } from './world.ts';

describe.skipIf(!engineBinaries)('on a real API server', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ controllers: true });
  });
  afterAll(() => world?.engine.stop());

  schemaCases(() => world);

  describe('with the roles and the policies', () => {
    beforeAll(() => world.install(['rbac', 'rbac/policies']));

    stampCases(() => world);
    askingCases(() => world);
    guardCases(() => world);
    answeredCases(() => world);
    collectedCases(() => world);
    agentCases(() => world);
    settingsCases(() => world);
    spawnCases(() => world);
    matrixCases(() => world);
    actingCases(() => world);
    boundCases(() => world);
    projectAdminCases(() => world);
    raceCases(() => world);
    quotaCases(() => world);
    rightsCases(() => world);
    slackCases(() => world);
    githubCases(() => world);
    proposingCases(() => world);
    applyCases(() => world);
    installCases(() => world);
    sweepCases(() => world);
    volumesCases(() => world);
    auditCases(() => world);
  });
});
