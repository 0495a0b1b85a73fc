import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Stored } from '../../../lib/api/meta.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import type { Client } from '../../../lib/kube/types.ts';
import { CLAIMS, startClaims } from '../../../local/controllers/claim.ts';
import { startDeployments } from '../../../local/controllers/deployment.ts';
import {
  DEPLOYMENTS,
  type Deployment,
  makePod,
  planPods,
  templateHash,
} from '../../../local/controllers/deployment-pods.ts';
import type { Part } from '../../../local/controllers/loop.ts';
import { PODS, type Pod } from '../../../local/node/pod.ts';
import { object, pod, script, until } from '../support/objects.ts';
import { type StandIn, startStandIn } from '../support/stand-in.ts';

const deployment = (replicas: number, code = '1'): Deployment =>
  object(
    'apps/v1/Deployment',
    { name: 'd', namespace: 'team-a' },
    {
      spec: {
        replicas,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [script('main', code)] } },
      },
    },
  ) as unknown as Deployment;

describe('the plan', () => {
  const stored = {
    ...deployment(1),
    metadata: { name: 'd', namespace: 'team-a', uid: 'u', resourceVersion: '1' },
  } as Stored<Deployment>;
  const existing = (changes: Partial<Pod['metadata']> = {}) => {
    const made = makePod(stored, () => 0.5, 'node');
    return { ...made, metadata: { ...made.metadata, uid: 'p', resourceVersion: '1', ...changes } } as Stored<Pod>;
  };
  const none = { remove: [], create: 0 };

  test.each<[string, Stored<Pod>[], object]>([
    ['makes what is missing', [], { remove: [], create: 1 }],
    ['changes nothing of what is right', [existing()], none],
    ['waits while an old pod goes away', [existing({ deletionTimestamp: 'now' })], none],
    ['makes nothing beside a pod of another template', [existing({ labels: {} })], { create: 0 }],
  ])('%s', (_, pods, expected) => expect(planPods(stored, pods)).toMatchObject(expected));

  test('names pods so that a Session’s longest name fits', () => {
    const name = 'n'.repeat(46);
    expect(
      makePod({ ...stored, metadata: { ...stored.metadata, name } }, () => 0.99, 'node').metadata.name,
    ).toHaveLength(63);
  });
});

describe('the controller', () => {
  let standIn: StandIn;
  let parts: Part[];
  let create: Client['create'];
  beforeAll(async () => {
    standIn = await startStandIn();
    create = standIn.world.client.create;
    parts = [startDeployments(standIn.world), startClaims(standIn.world)];
  });
  afterEach(async () => {
    await standIn.client.delete(DEPLOYMENTS, ref);
    for (const { metadata } of await pods())
      await standIn.client.request('DELETE', `/api/v1/namespaces/team-a/pods/${metadata.name}`, {
        gracePeriodSeconds: 0,
      });
    await until('no pods', async () => (await pods()).length === 0);
  });
  afterAll(async () => {
    await Promise.all(parts.map((part) => part.stop()));
    await standIn.close();
  });
  const ref = { namespace: 'team-a', name: 'd' };
  const pods = async () => (await standIn.client.list(PODS, { namespace: 'team-a' })).items;
  const apply = (replicas: number, code?: string) => standIn.client.apply(DEPLOYMENTS, deployment(replicas, code));
  const setReady = async ({ apiVersion, kind, metadata: { name, namespace = '', uid } }: Stored<Pod>) =>
    standIn.client.applyStatus(PODS, {
      apiVersion,
      kind,
      metadata: { name, namespace, uid },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    });
  const condition = async (type: string) =>
    (await standIn.client.get(DEPLOYMENTS, ref))?.status?.conditions?.find((one) => one.type === type);

  test('makes one pod that it owns, and is Available when the pod is ready', async () => {
    const made = await apply(1);
    const [one] = await until('a pod', pods);
    expect(one?.metadata).toMatchObject({
      ownerReferences: [{ kind: 'Deployment', uid: made.metadata.uid, controller: true }],
    });
    expect(one?.metadata.name).toMatch(new RegExp(`^d-${templateHash(made)}-[a-z0-9]{5}$`));
    await until('not available', async () => (await condition('Available'))?.status === 'False');
    if (one) await setReady(one);
    await until('available', async () => (await condition('Available'))?.status === 'True');
    const { status, metadata } = await until('it', () => standIn.client.get(DEPLOYMENTS, ref));
    expect(status).toMatchObject({ replicas: 1, readyReplicas: 1, observedGeneration: metadata.generation });
  });

  test('replaces a pod only when the old one is gone', async () => {
    await apply(1);
    const [old] = await until('a pod', pods);
    await apply(1, '2');
    await until('the old one going', async () => (await pods())[0]?.metadata.deletionTimestamp);
    expect(await pods()).toHaveLength(1);
    const body = { gracePeriodSeconds: 0 };
    await standIn.client.request('DELETE', `/api/v1/namespaces/team-a/pods/${old?.metadata.name}`, body);
    const [next] = await until('the new one', pods);
    expect(next?.metadata.uid).not.toBe(old?.metadata.uid);
  });

  test('of no replicas makes no pod and is Available', async () => {
    await apply(0);
    await until('status', async () => (await condition('Available'))?.status === 'True');
    expect(await pods()).toEqual([]);
  });

  test('says why no pod can be made, and makes it when it can', async () => {
    let full = true;
    standIn.world.client.create = (type, made) =>
      type.kind === 'Pod' && full
        ? Promise.reject(new ApiError(403, { message: 'exceeded quota: pods', reason: 'Forbidden' }))
        : create(type, made);
    await apply(1);
    const failure = await until('the condition', () => condition('ReplicaFailure'));
    expect(failure).toMatchObject({ status: 'True', reason: 'FailedCreate', message: 'exceeded quota: pods' });
    full = false;
    await until('a pod', pods);
    await until('no failure', async () => !(await condition('ReplicaFailure')));
  });

  test('binds a claim, and lets it go when no pod uses it any more', async () => {
    const work = object(
      'v1/PersistentVolumeClaim',
      { name: 'work', namespace: 'team-a' },
      {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    );
    await standIn.client.create(CLAIMS, work as never);
    const claim = () => standIn.client.get(CLAIMS, { namespace: 'team-a', name: 'work' });
    await until('bound', async () => (await claim())?.status?.phase === 'Bound');
    const volumes = [{ name: 'w', persistentVolumeClaim: { claimName: 'work' } }];
    const user = await standIn.client.create(PODS, pod('user', { containers: [script('main', '1')], volumes }));
    const {
      apiVersion,
      kind,
      metadata: { name, namespace = '' },
    } = user;
    const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    await standIn.client.applyStatus(PODS, { apiVersion, kind, metadata: { name, namespace }, status: { conditions } });
    await standIn.client.delete(CLAIMS, { namespace: 'team-a', name: 'work' });
    expect(await claim()).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
    await standIn.client.request('DELETE', '/api/v1/namespaces/team-a/pods/user', { gracePeriodSeconds: 0 });
    await until('gone', async () => !(await claim()));
  });
});
