/** What stands in the way of a Session: the right condition while it does, and convergence once it is gone. */
import { describe, expect, test } from 'vitest';
import { CLAIMS, type Client, DEPLOYMENTS, SESSIONS } from '../../lib/kube/types.ts';
import { reconcile } from '../../lib/reconcile.ts';
import { sessions } from '../../lib/session/plan.ts';
import { edit, QUOTAS, refusal, session, told } from './objects.ts';
import type { World } from './world.ts';

/** Whether the Session has come to all it needs. */
async function converged(world: World, ns: string): Promise<void> {
  expect(await world.runSession(ns, 'a')).toMatchObject({ kind: 'done' });
  expect(await told(world.admin, session(ns, 'a'), 'Materialised')).toMatchObject({ status: 'True' });
  expect(await world.admin.get(DEPLOYMENTS, { namespace: ns, name: 'a' })).toBeDefined();
}

export function raceCases(world: () => World): void {
  const alice = () => world().as('alice');
  const claim = (namespace: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name: 'a', ...more },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const converges = (ns: string) => converged(world(), ns);
  const standsInTheWay = async (ns: string, reason: string) => {
    const outcome = await world().runSession(ns, 'a');
    expect(await told(world().admin, session(ns, 'a'), 'Materialised')).toMatchObject({ status: 'False', reason });
    return outcome;
  };

  describe('a Session', () => {
    test("waits while its predecessor's claim terminates", async () => {
      const ns = await world().project('terminating');
      const finalizers = ['test.example/hold'];
      await world().admin.create(CLAIMS, claim(ns, { finalizers }));
      await world().admin.delete(CLAIMS, { namespace: ns, name: 'a' });
      await alice().create(SESSIONS, session(ns, 'a'));
      expect(await standsInTheWay(ns, 'PredecessorTerminating')).toMatchObject({ kind: 'conflict' });
      await world().admin.patch(
        CLAIMS,
        { namespace: ns, name: 'a' },
        { type: 'merge', body: { metadata: { finalizers: null } } },
      );
      await converges(ns);
    });

    test("adopts no stranger's Deployment", async () => {
      const ns = await world().project('stranger');
      const labels = { app: 'x' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const spec = { replicas: 0, selector: { matchLabels: labels }, template };
      await world().admin.create(DEPLOYMENTS, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: ns, name: 'a' },
        ...{ spec },
      });
      await alice().create(SESSIONS, session(ns, 'a'));
      await standsInTheWay(ns, 'NameTaken');
      const kept = await world().admin.get(DEPLOYMENTS, { namespace: ns, name: 'a' });
      expect(kept?.metadata.ownerReferences).toBeUndefined();
      await world().admin.delete(DEPLOYMENTS, { namespace: ns, name: 'a' });
      await converges(ns);
    });

    test('gets back a child that was deleted midway, when its spec is touched', async () => {
      const ns = await world().project('midway');
      await alice().create(SESSIONS, session(ns, 'a'));
      await converges(ns);
      await world().admin.delete(DEPLOYMENTS, { namespace: ns, name: 'a' });
      await edit(alice(), session(ns, 'a'), { touched: '2026-11-30T12:00:00Z' });
      await converges(ns);
    });

    test('comes to the same where another writes its status meanwhile', async () => {
      const ns = await world().project('conflict');
      await alice().create(SESSIONS, session(ns, 'a'));
      let meddled = false;
      const fn = world().functionClient('session');
      const meddling: Client = {
        ...fn,
        async applyStatus(type, object) {
          if (!meddled) {
            meddled = true;
            const path = `/apis/tiny.dev/v1alpha1/namespaces/${ns}/sessions/a/status`;
            await world().admin.request('PATCH', path, { status: { message: 'meanwhile' } });
          }
          return await fn.applyStatus(type, object);
        },
      };
      const outcome = await reconcile(
        sessions,
        { namespace: ns, name: 'a' },
        { client: meddling, now: () => new Date() },
      );
      expect(outcome).toMatchObject({ kind: 'done' });
      const live = await world().admin.get(SESSIONS, { namespace: ns, name: 'a' });
      expect(live?.status?.message).toBe('meanwhile');
      await converges(ns);
    });
  });
}

/** The stand-in has no quotas. */
export function quotaCases(world: () => World): void {
  const alice = () => world().as('alice');
  const quota = (namespace: string, hard: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace, name: 'limit' },
    spec: { hard },
  });

  describe('a quota', () => {
    test('that is in the way is named, and no longer once it is gone', async () => {
      const ns = await world().project('quota');
      await world().admin.create(QUOTAS, quota(ns, { 'requests.storage': '1Gi' }));
      await alice().create(SESSIONS, session(ns, 'a', { storage: { size: '2Gi' } }));
      await expect
        .poll(async () => {
          await world().runSession(ns, 'a');
          return (await told(world().admin, session(ns, 'a'), 'Materialised')).reason;
        })
        .toBe('QuotaExceeded');
      await world().admin.delete(QUOTAS, { namespace: ns, name: 'limit' });
      await expect.poll(async () => (await world().runSession(ns, 'a')).kind, { timeout: 15_000 }).toBe('done');
      await converged(world(), ns);
    });

    test('on the number of Sessions refuses one more: count/sessions.tiny.dev', async () => {
      const ns = await world().project('count');
      await world().admin.create(QUOTAS, quota(ns, { 'count/sessions.tiny.dev': '1' }));
      let n = 0;
      const more = async () => (await refusal(alice().create(SESSIONS, session(ns, `a${n++}`)))).message;
      await expect
        .poll(() => more().catch(() => ''), { timeout: 20_000, interval: 200 })
        .toContain('exceeded quota: limit');
    });
  });
}
