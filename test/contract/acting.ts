/** Functions at work as people, with their real tokens: whose rights count, and what is never taken for a right. */
import { describe, expect, test } from 'vitest';
import { DEPLOYMENTS, SESSIONS } from '../../lib/kube/types.ts';
import { answer, edit, refusal, session, spawning, told } from './objects.ts';
import type { Name, World } from './world.ts';

export function actingCases(world: () => World): void {
  const as = (name: Name) => world().as(name);

  describe('a function', () => {
    test('acts with a right that comes from the second of three groups', async () => {
      const ns = await world().project('second-group');
      await as('carol').create(SESSIONS, session(ns, 'a'));
      expect(await world().runSession(ns, 'a')).toMatchObject({ kind: 'done' });
      const asked = await world().ask(ns, 'a', { spec: spawning('child') });
      await answer(as('carol'), asked);
      expect(await world().runQuestion(ns, asked.metadata.name)).toMatchObject({ kind: 'done' });
      const child = await world().admin.get(SESSIONS, { namespace: ns, name: 'child' });
      expect(child?.spec.requester).toMatchObject({
        username: 'carol',
        groups: ['readers', 'second', 'third', 'system:authenticated'],
      });
    });

    test('makes nothing that the answerer may not', async () => {
      const ns = await world().project('answerer-may-not');
      await as('alice').create(SESSIONS, session(ns, 'a'));
      const asked = await world().ask(ns, 'a', { spec: spawning('child') });
      await answer(as('dave'), asked);
      await world().runQuestion(ns, asked.metadata.name);
      const { status, reason, message } = await told(world().admin, asked, 'Acted');
      expect([status, reason]).toEqual(['False', 'Forbidden']);
      expect(message).toContain('User "dave" cannot create resource "sessions"');
      expect(await world().admin.get(SESSIONS, { namespace: ns, name: 'child' })).toBeUndefined();
    });

    test('acts as whoever changed the Session last, not with the rights of its first requester', async () => {
      const ns = await world().project('last-editor');
      const made = await as('alice').create(SESSIONS, session(ns, 'a'));
      await world().bindSessionEditor(ns, 'mallory');
      const mallory = world().admin.as({ username: 'mallory' });
      await edit(mallory, made, { agent: { image: 'evil.example/x' } });
      await world().runSession(ns, 'a');
      const { reason, message } = await told(world().admin, made, 'Materialised');
      expect(reason).toBe('Forbidden');
      expect(message).toContain('User "mallory" cannot create resource "persistentvolumeclaims"');
    });

    test('never uses rights that come from system:masters, and says so', async () => {
      const ns = await world().project('masters');
      const made = await as('root').create(SESSIONS, session(ns, 'a'));
      expect(made.spec.requester?.groups).toContain('system:masters');
      await world().runSession(ns, 'a');
      const { reason, message } = await told(world().admin, made, 'Materialised');
      expect(reason).toBe('Forbidden');
      expect(message).toContain("Rights that come from system:masters are never used on anyone's behalf");
    });

    test('acts as a CI job, by its service account', async () => {
      const ns = await world().project('ci');
      const job = world().admin.as({ username: `system:serviceaccount:${ns}:ci` });
      await world().bindUser(ns, `system:serviceaccount:${ns}:ci`);
      await job.create(SESSIONS, session(ns, 'a'));
      expect(await world().runSession(ns, 'a')).toMatchObject({ kind: 'done' });
    });

    test('hands an extra attribute on, so that a limited person stays limited', async () => {
      const ns = await world().project('limited');
      const eve = { username: 'eve', groups: ['team'], extra: { 'example.com/scopes': ['read', 'write'] } };
      await world().admin.as(eve).create(SESSIONS, session(ns, 'a'));
      expect(await world().runSession(ns, 'a')).toMatchObject({ kind: 'done' });
      const made = world()
        .audit()
        .filter(
          ({ objectRef, verb }) =>
            objectRef?.namespace === ns && verb === 'create' && objectRef.resource === 'deployments',
        );
      expect(made.map(({ impersonatedUser }) => impersonatedUser?.extra)).toEqual([eve.extra]);
    });

    test('outside of a project acts for nobody, and the Session says so', async () => {
      const ns = 'no-project';
      await world().admin.create(world().NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
      const made = await as('alice').create(SESSIONS, session(ns, 'a'));
      await world().runSession(ns, 'a');
      expect((await told(world().admin, made, 'Materialised')).reason).toBe('Forbidden');
    });
  });
}

/** What the stand-in has not: its API server takes any extra key, and has no policy but the stamps. */
export function boundCases(world: () => World): void {
  describe('a function, on a real API server,', () => {
    test("stops at an extra attribute that it can't hand on", async () => {
      const ns = await world().project('odd-extra');
      await world()
        .admin.as({ username: 'eve', groups: ['team'], extra: { Scopes: ['read'] } })
        .create(SESSIONS, session(ns, 'b'));
      expect(await world().runSession(ns, 'b')).not.toMatchObject({ kind: 'done' });
      expect(await world().admin.get(DEPLOYMENTS, { namespace: ns, name: 'b' })).toBeUndefined();
    });

    test('acts as no part of Kubernetes: neither the function nor, were it to, the API server lets it', async () => {
      const ns = await world().project('parts');
      const scheduler = { username: 'system:kube-scheduler' };
      expect(() => world().functionClient('session').as(scheduler)).toThrow('is no person to act as');
      const labels = { 'tiny.dev/session-uid': 'u' };
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c', namespace: ns, labels },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
      };
      await world().bindUser(ns, scheduler.username);
      const attempt = world().rawAs('session', [['Impersonate-User', scheduler.username]], claim);
      expect((await refusal(attempt)).message).toContain('never by a part of Kubernetes');
      const masters = world().rawAs(
        'session',
        [
          ['Impersonate-User', 'alice'],
          ['Impersonate-Group', 'system:masters'],
        ],
        claim,
      );
      expect((await refusal(masters)).message).toContain('impersonating the system:masters group is not allowed');
    });
  });
}
