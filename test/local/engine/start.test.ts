/** The real engine: who gets in, what it logs, older versions. Slow, and skipped where there is none. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECRETS } from '../../../lib/kube/types.ts';
import { engineBinaries, engineForTests, type TestEngine } from '../../support/engine.ts';

const ALICE = 'alice-token';

describe.skipIf(!engineBinaries)('a real kube-apiserver', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await engineForTests({
      people: new Map([[ALICE, { username: 'alice', groups: ['team', 'two, three'] }]]),
    });
  });
  afterAll(() => engine.stop());

  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const whoIs = (token: string) =>
    engine
      .clientOf(token)
      .request<{ status: { userInfo: object } }>('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review);

  test('is of the version that it says', async () => {
    expect(await engine.admin.request('GET', '/version')).toMatchObject({ gitVersion: `v${engine.version}` });
  });

  test('knows people by their token, and each of their groups', async () => {
    const { status } = await whoIs(ALICE);
    expect(status.userInfo).toMatchObject({ username: 'alice' });
    expect(status.userInfo).toMatchObject({ groups: expect.arrayContaining(['team', 'system:authenticated']) });
  });

  test('lets nobody in without a token, but to ask after its health', async () => {
    await expect(whoIs('')).rejects.toMatchObject({ code: 401 });
  });

  test('gives a person without a role nothing', async () => {
    await expect(engine.clientOf(ALICE).list(SECRETS)).rejects.toMatchObject({ code: 403 });
  });

  test('keeps what a Secret holds out of its audit log', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'default' } };
    await engine.admin.create(SECRETS, { ...secret, stringData: { key: 'not-to-be-logged' } } as typeof secret);
    const log = readFileSync(engine.auditLog, 'utf8');
    expect(log).toContain('"resource":"secrets"');
    expect(log).not.toContain('not-to-be-logged');
  });
});

describe.skipIf(!engineBinaries)('an emulated older version', () => {
  test('serves what that version served', async () => {
    const engine = await engineForTests({ emulatedVersion: '1.35' });
    const version = await engine.admin.request('GET', '/version');
    expect(version).toMatchObject({ emulationMinor: '35' });
    await engine.stop();
  });
});
