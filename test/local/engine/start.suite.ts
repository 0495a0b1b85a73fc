/** The real engine: who gets in, what it logs, older versions. Slow, and skipped where there is none. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLAIMS, type ResourceType, SECRETS } from '../../../lib/kube/types.ts';
import { startKubelet } from '../../../local/engine/kubelet.ts';
import { startScheduler } from '../../../local/engine/scheduler.ts';
import { PODS, type Pod } from '../../../local/node/pod.ts';
import { engineBinaries, engineForTests, type TestEngine } from '../../support/engine.ts';

const ALICE = 'alice-token';
const ACCOUNTS: ResourceType = { ...SECRETS, kind: 'ServiceAccount', plural: 'serviceaccounts' };
const IN_DEFAULT = { namespace: 'default' };
const POD = { ...IN_DEFAULT, name: 'p' };
const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { ...IN_DEFAULT, name: 'later' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const pod = (claims: string[]) =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: POD,
    spec: {
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'i' }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  }) as unknown as Pod;

async function waitFor(isSo: () => Promise<boolean | undefined>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}

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

  test('has a node to which pods are bound, and which gives their logs', async () => {
    const { admin: client } = engine;
    const world = { client, now: () => new Date(), random: Math.random, log: () => undefined };
    const logs = async function* ({ pod, container }: { pod: string; container: string }, { tailLines = 0 }) {
      yield `${tailLines} lines of ${pod}/${container}`;
    };
    const pki = join(dirname(engine.adminKubeconfig), 'pki');
    const { version } = engine;
    const parts = [await startKubelet({ ...world, name: 'n', pki, version, logs }), startScheduler(world, 'n')];
    await client.create(ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...IN_DEFAULT, name: 'default' },
    });
    await client.create(PODS, pod(['later']));
    await waitFor(async () =>
      (await client.get(PODS, POD))?.status?.conditions?.[0]?.message?.includes('"later" not found'),
    );
    await client.create(CLAIMS, CLAIM);
    await waitFor(async () => (await client.get(PODS, POD))?.spec.nodeName === 'n');
    expect(await client.get(CLAIMS, CLAIM.metadata)).toMatchObject({ status: { phase: 'Bound' } });
    const read = client.stream('/api/v1/namespaces/default/pods/p/log?tailLines=3');
    expect((await read[Symbol.asyncIterator]().next()).value).toBe('3 lines of p/main');
    for (const part of parts) await part.stop();
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
