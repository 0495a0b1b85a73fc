/** That an answer's time is the server's word, until what was answered is done. */
import { describe, expect, test } from 'vitest';
import type { ManagedFieldsEntry, Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { answer, question, refusal, session, spawning } from './objects.ts';
import type { World } from './world.ts';

const TOUCHED = { annotations: { 'tiny.dev/touched': '2026-11-30T12:00:00Z' } };

export function answeredCases(world: () => World): void {
  describe('a Question that is answered and not yet acted on', () => {
    let answered: Stored<Question>;
    /** A change of its metadata by whoever may change it, under another field manager than the answer's. */
    const change = (metadata: object) => {
      const { namespace, name } = answered.metadata;
      const path = `/apis/tiny.dev/v1alpha1/namespaces/${namespace}/questions/${name}?fieldManager=tiny-touch`;
      return world().as('alice').request<Stored<Question>>('PATCH', path, { metadata });
    };
    const times = (time: string) =>
      (answered.metadata.managedFields ?? []).map((entry): ManagedFieldsEntry => ({ ...entry, time }));

    test('keeps its labels, annotations, owners and finalizers', async () => {
      const ns = await world().project('answered-stays');
      await world().as('alice').create(SESSIONS, session(ns, 'a'));
      const open = await world().ask(ns, 'a', { spec: spawning('child') });
      answered = await answer(world().as('bob'), open);
      for (const more of [
        { labels: { a: 'b' } },
        { labels: null },
        { annotations: { a: 'b' } },
        { finalizers: ['a.example/b'] },
        { ...TOUCHED, labels: { a: 'b' } },
      ])
        expect((await refusal(change(more))).message).toContain('nothing of it changes but the annotation');
    });

    test('keeps the time of its answer', async () => {
      const forged = [times('2020-01-01T00:00:00Z'), times('2099-01-01T00:00:00Z'), [{}]];
      for (const managedFields of forged)
        expect((await refusal(change({ ...TOUCHED, managedFields }))).message).toContain('managedFields keep saying');
      // Where nothing else changes, the API server passes over times.
      for (const managedFields of forged) await change({ managedFields }).catch(() => undefined);
      const live = await world().admin.get(QUESTIONS, { ...answered.metadata, namespace: 'answered-stays' });
      expect(live?.metadata.managedFields).toEqual(answered.metadata.managedFields);
    });

    test('can be touched, and changed once it is acted on', async () => {
      await change(TOUCHED);
      await change({ annotations: { 'tiny.dev/touched': null } });
      expect(await world().runQuestion('answered-stays', answered.metadata.name)).toMatchObject({ kind: 'done' });
      await change({ labels: { a: 'b' } });
    });
  });
}

/** The stand-in has no garbage collector that asks. */
export function collectedCases(world: () => World): void {
  test('a Question that is answered and not yet acted on loses its owner where the owner is orphaned', async () => {
    const ns = await world().project('answered-orphan');
    const { metadata } = await world().as('alice').create(SESSIONS, session(ns, 'a'));
    const asked = question(ns, 'a');
    const owner = { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', name: 'a', uid: metadata.uid };
    const ref = { namespace: ns, name: asked.metadata.name };
    asked.metadata.ownerReferences = [owner];
    await answer(world().as('bob'), await world().as('alice').create(QUESTIONS, asked));
    const path = `/apis/tiny.dev/v1alpha1/namespaces/${ns}/sessions/a?propagationPolicy=Orphan`;
    await world().admin.request('DELETE', path);
    const owners = async () => (await world().admin.get(QUESTIONS, ref))?.metadata.ownerReferences ?? [];
    await expect.poll(owners, { timeout: 30_000, interval: 200 }).toEqual([]);
  });
}
