/** Functions that act for nobody, with their real tokens: the sweep says what hangs, and dead-letters keeps what was lost. */
import { describe, expect, test } from 'vitest';
import { totalOf } from '../../lib/event/dead-letters.ts';
import { keep } from '../../lib/event/keep.ts';
import { CONFIG_MAPS, EVENTS, NETWORK_POLICIES, PODS, SESSIONS } from '../../lib/kube/types.ts';
import { questions } from '../../lib/question/plan.ts';
import { sessions } from '../../lib/session/plan.ts';
import { sweep } from '../../lib/sweep/pass.ts';
import { session, told, until } from './objects.ts';
import type { World } from './world.ts';

const LONG_AGO = '2020-01-01T00:00:00Z';
const now = () => new Date();

export function sweepCases(world: () => World): void {
  /** A Session whose pod a kubelet has tried to start for long, and whose NetworkPolicy somebody has taken. */
  async function hanging(namespace: string): Promise<void> {
    const { admin } = world();
    await world().as('alice').create(SESSIONS, session(namespace, 'a'));
    await world().runSession(namespace, 'a');
    const pod = await until(async () => (await admin.list(PODS, { namespace })).items[0]);
    const { name, uid } = pod.metadata;
    const waiting = { name: 'agent', image: 'i', imageID: '', ready: false, restartCount: 0 };
    const state = { waiting: { reason: 'ContainerCreating' } };
    await admin.request('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}/status`, {
      status: { phase: 'Pending', startTime: LONG_AGO, containerStatuses: [{ ...waiting, state }] },
    });
    await admin.request('POST', `/api/v1/namespaces/${namespace}/events`, {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'mount', namespace } },
      ...{ type: 'Warning', reason: 'FailedMount', message: 'secret "model" not found' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    });
    await admin.delete(NETWORK_POLICIES, { namespace, name: 'a' });
  }

  describe('the sweep', () => {
    test('says what a Session hangs on, and hands it to the function whose it is', async () => {
      const ns = await world().project('swept');
      await hanging(ns);
      const handed: object[] = [];
      await sweep({
        ...{ client: world().functionClient('sweep'), sessions, questions, now, log: () => undefined },
        ...{ most: 10_000, atOnce: 8, signal: AbortSignal.timeout(60_000) },
        hint: async (subject) => handed.push(subject) > 0,
      });
      expect(handed).toContainEqual({ kind: 'Session', namespace: ns, name: 'a', look: 'closely' });
      expect(await told(world().admin, session(ns, 'a'), 'Stuck')).toMatchObject({
        status: 'True',
        reason: 'MissingReference',
      });
      const { items } = await world().admin.list(EVENTS, {
        namespace: ns,
        fieldSelector: 'involvedObject.kind=Session,involvedObject.name=a',
      });
      expect(items).toMatchObject([{ type: 'Warning', reason: 'MissingReference', reportingComponent: 'tiny-sweep' }]);
    });
  });

  describe('what no retry could deliver', () => {
    test('is kept, each of those that come at once', async () => {
      const client = world().functionClient('dead-letters');
      const letters = [1, 2, 3, 4, 5].map((id) => ({ headers: { 'ce-id': String(id), 'ce-type': 't' }, body: '{}' }));
      expect(await Promise.all(letters.map((one) => keep(client, one, now)))).toEqual(letters.map(() => true));
      const kept = await world().admin.get(CONFIG_MAPS, { namespace: 'tiny-system', name: 'dead-letters' });
      expect(totalOf(kept?.data ?? {})).toBe(letters.length);
    });
  });
}
