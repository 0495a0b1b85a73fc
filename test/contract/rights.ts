/** Each thing that a function ever does, done once as a user and once as a service account: no right is there for nothing. */
import { describe, expect, test } from 'vitest';
import { toTimestamp } from '../../lib/api/conditions.ts';
import { QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { answer, edit, question, session, spawning, told } from './objects.ts';
import type { World } from './world.ts';

const LONG_AGO = '2020-01-01T00:00:00Z';

export function rightsCases(world: () => World): void {
  describe('a whole life', () => {
    test.each(['alice', 'ci'])('of a Session of %s: made, changed, finished, removed', async (who) => {
      const ns = await world().project(`life-${who}`);
      const account = `system:serviceaccount:${ns}:ci`;
      await world().bindUser(ns, account);
      const person = who === 'ci' ? world().admin.as({ username: account }) : world().as('alice');
      const made = await person.create(SESSIONS, session(ns, 'a', { ttlAfterFinished: '1s' }));
      const run = async () => expect(await world().runSession(ns, 'a')).toMatchObject({ kind: 'done' });
      await run();
      await edit(person, made, {
        resources: { limits: { memory: '1Gi' } },
        network: { egress: [{ cidr: '10.0.0.0/8' }] },
        storage: { size: '10Gi' },
      });
      await run();
      await edit(person, made, { suspend: true });
      await run();
      const finished = {
        type: 'Finished',
        status: 'True',
        reason: 'Completed',
        message: '',
        lastTransitionTime: LONG_AGO,
      };
      const live = await world().admin.get(SESSIONS, { namespace: ns, name: 'a' });
      const conditions = [...(live?.status?.conditions ?? []), finished];
      await world().admin.request('PATCH', `/apis/tiny.dev/v1alpha1/namespaces/${ns}/sessions/a/status`, {
        status: { conditions },
      });
      await run();
      await expect.poll(() => world().admin.get(SESSIONS, { namespace: ns, name: 'a' })).toBeUndefined();
    });

    test.each(['alice', 'ci'])(
      'of a Question that %s answers: the child is made once, however often the event comes',
      async (who) => {
        const ns = await world().project(`question-${who}`);
        const account = `system:serviceaccount:${ns}:ci`;
        await world().bindUser(ns, account);
        const person = who === 'ci' ? world().admin.as({ username: account }) : world().as('alice');
        await world().as('bob').create(SESSIONS, session(ns, 'a'));
        const asked = await world().ask(ns, 'a', { spec: spawning('child') });
        await answer(person, asked);
        expect(await world().runQuestion(ns, asked.metadata.name)).toMatchObject({ kind: 'done' });
        const again = `/apis/tiny.dev/v1alpha1/namespaces/${ns}/questions/${asked.metadata.name}/status`;
        await world().admin.request('PATCH', again, { status: { conditions: null } });
        expect(await world().runQuestion(ns, asked.metadata.name)).toMatchObject({ kind: 'done' });
        const child = await world().admin.get(SESSIONS, { namespace: ns, name: 'child' });
        expect(child?.spec.requester?.username).toBe(who === 'ci' ? account : 'alice');
      },
    );

    test('of a Session whose stamp is too old for its project: nothing is made, until it is touched', async () => {
      const ns = await world().project('old-stamp', { 'identity.maxAge': '2h' });
      const made = await world().as('alice').create(SESSIONS, session(ns, 'a'));
      const tonight = new Date(Date.now() + 3 * 3_600_000);
      const run = () => world().runSession(ns, 'a', tonight);
      expect(await run()).toMatchObject({ kind: 'refused' });
      expect(await told(world().admin, made, 'Materialised')).toMatchObject({ reason: 'RequesterExpired' });
      await edit(world().as('bob'), made, { touched: toTimestamp(tonight) });
      expect(await run()).toMatchObject({ kind: 'done' });
      const live = await world().admin.get(SESSIONS, made.metadata);
      expect(live?.spec.requester?.username).toBe('bob');
    });

    test('of a Session that sleeps until it is answered, and wakes', async () => {
      const ns = await world().project('wakes');
      const made = await world()
        .as('alice')
        .create(SESSIONS, session(ns, 'a', { idle: { suspendAfter: '1s' } }));
      const run = async () => expect(await world().runSession(ns, 'a')).toMatchObject({ kind: 'done' });
      await run();
      const waiting = {
        type: 'Waiting',
        status: 'True',
        reason: 'Question',
        message: '',
        lastTransitionTime: LONG_AGO,
      };
      const conditions = [...((await world().admin.get(SESSIONS, made.metadata))?.status?.conditions ?? []), waiting];
      const asked = await world().as('alice').create(QUESTIONS, question(ns, 'a'));
      const status = { conditions, waitingFor: [asked.metadata.name] };
      await world().admin.request('PATCH', `/apis/tiny.dev/v1alpha1/namespaces/${ns}/sessions/a/status`, { status });
      await run();
      expect(await told(world().admin, made, 'Suspended')).toMatchObject({ status: 'True', reason: 'Idle' });
      await answer(world().as('bob'), asked);
      expect(await world().runQuestion(ns, asked.metadata.name)).toMatchObject({ kind: 'done' });
      expect(await told(world().admin, made, 'Waiting')).toMatchObject({ status: 'False', reason: 'Answered' });
      await run();
      expect(await told(world().admin, made, 'Suspended')).toMatchObject({ status: 'False' });
    });
  });
}
