/**
 * Clusters before 1.36: no mutation, no constrained impersonation. What is verified must be enough there: nobody lies,
 * and functions act for nobody but those whom an installer named.
 */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../lib/api/meta.ts';
import { applyAll } from '../../lib/install/apply.ts';
import { makeImpersonation } from '../../lib/install/impersonation.ts';
import { CLAIMS, QUESTIONS, SECRETS, SESSIONS } from '../../lib/kube/types.ts';
import { engineBinaries } from '../support/engine.ts';
import { tokenFor } from './asker.ts';
import {
  answer,
  answerOf,
  CONFIG_MAPS,
  edit,
  question,
  refusal,
  SERVICE_ACCOUNTS,
  session,
  settingsOf,
  spawning,
  told,
} from './objects.ts';
import { mayDo, type Name, PEOPLE, startWorld, type World } from './world.ts';

describe.skipIf(!engineBinaries).each(['1.34', '1.35'])('on Kubernetes %s', (emulatedVersion) => {
  let world: World;
  const as = (name: Name) => world.as(name);
  const made = (ns: string, name: Name, more: object = {}) =>
    as(name).create(SESSIONS, session(ns, 'a', { requester: PEOPLE[name], ...more }));
  /** A CI job's service account, which may use tiny. */
  const serviceAccount = async (ns: string): Promise<string> => {
    const metadata = { name: 'ci', namespace: ns };
    await world.admin.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await world.bindUser(ns, `system:serviceaccount:${ns}:ci`);
    return `system:serviceaccount:${ns}:ci`;
  };
  /** The job with a token of its own, and who it is by it. */
  const jobOf = async (ns: string) => {
    const client = world.engine.clientOf(await tokenFor(world.admin, `${ns}/ci`));
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { status } = await client.request<{ status: { userInfo: Person } }>('POST', path, review);
    return { client, is: status.userInfo };
  };
  beforeAll(async () => {
    world = await startWorld({ emulatedVersion, serverArguments: ['--emulation-forward-compatible=false'] });
    await world.install(['rbac/classic', 'rbac/policies/verify']);
  });
  afterAll(() => world?.engine.stop());

  test('a Session that names another requester, or none, is refused; one that names its maker is made', async () => {
    const ns = await world.project('made');
    for (const requester of [undefined, PEOPLE.bob, { ...PEOPLE.alice, uid: 'other' }, { username: 'alice' }]) {
      const { code, message } = await refusal(as('alice').create(SESSIONS, session(ns, 'a', { requester })));
      expect(code).toBe(403);
      expect(message).toContain('spec.requester must be whoever makes or changes the Session');
    }
    const more = { ...PEOPLE.alice, groups: ['team', 'owners'] };
    expect((await refusal(as('alice').create(SESSIONS, session(ns, 'a', { requester: more })))).code).toBe(403);
    const { spec } = await made(ns, 'alice');
    expect(spec.requester).toEqual(PEOPLE.alice);
    await as('alice').create(SESSIONS, session(ns, 'b', { requester: { username: 'alice', uid: 'u-alice' } }));
  });

  test('an extra attribute can be neither left out nor made up', async () => {
    const ns = await world.project('extra');
    const eve = { username: 'eve', groups: ['team'], extra: { 'example.com/scopes': ['read'] } };
    const client = world.admin.as(eve);
    const { extra: _, ...without } = eve;
    for (const requester of [
      without,
      { ...eve, extra: { ...eve.extra, 'example.com/more': ['x'] } },
      { ...eve, extra: { 'example.com/scopes': ['read', 'write'] } },
    ])
      expect((await refusal(client.create(SESSIONS, session(ns, 'a', { requester })))).code).toBe(403);
    await client.create(SESSIONS, session(ns, 'a', { requester: eve }));
  });

  test("whoever changes another's Session takes it over, or changes nothing", async () => {
    const ns = await world.project('changed');
    const it = await made(ns, 'alice');
    expect((await refusal(edit(as('bob'), it, { suspend: true }))).message).toContain('spec.requester must be whoever');
    expect((await refusal(edit(as('bob'), it, { requester: { ...PEOPLE.bob, extra: null } }))).message).toContain(
      'stays as it is',
    );
    const { uid, ...rest } = PEOPLE.bob;
    const { spec } = await edit(as('bob'), it, { suspend: true, requester: { ...rest, uid } });
    expect(spec.requester).toEqual(PEOPLE.bob);
    expect((await refusal(edit(as('bob'), it, { requester: null }))).code).toBe(403);
    const fresh = { ...PEOPLE.bob, groups: ['team', 'system:authenticated'] };
    expect((await edit(as('bob'), it, { suspend: false, requester: fresh })).spec.requester).toEqual(fresh);
  });

  test('a stamp that names a group which its person has lost stands in the way of every change', async () => {
    const ns = await world.project('left');
    const it = await made(ns, 'alice');
    await world.bindSessionEditor(ns, 'alice');
    const gone = { ...PEOPLE.alice, groups: ['other'] };
    const client = world.admin.as(gone);
    expect((await refusal(edit(client, it, { suspend: true }))).message).toContain('spec.requester must be whoever');
    expect((await edit(client, it, { suspend: true, requester: gone })).spec.requester).toEqual(gone);
    expect((await edit(client, it, { suspend: false })).spec.requester).toEqual(gone);
  });

  test("a token's own marks may stay as they were, or be renewed, and are not made up", async () => {
    const ns = await world.project('marks');
    await serviceAccount(ns);
    const [first, second] = [await jobOf(ns), await jobOf(ns)];
    const it = await first.client.create(SESSIONS, session(ns, 'a', { requester: first.is }));
    expect((await edit(second.client, it, { suspend: true })).spec.requester).toEqual(first.is);
    const made = { ...first.is, extra: { ...first.is.extra, 'authentication.kubernetes.io/credential-id': ['JTI=x'] } };
    expect((await refusal(edit(second.client, it, { suspend: false, requester: made }))).code).toBe(403);
    expect((await edit(second.client, it, { suspend: false, requester: second.is })).spec.requester).toEqual(second.is);
  });

  test('an answer that names another, or nobody, is refused', async () => {
    const ns = await world.project('answered');
    await made(ns, 'alice');
    const asked = await as('alice').create(QUESTIONS, question(ns, 'a'));
    expect((await refusal(answer(as('bob'), asked))).message).toContain('spec.answer.by must be whoever answers');
    expect((await refusal(answer(as('bob'), asked, { by: PEOPLE.alice }))).code).toBe(403);
    expect((await answer(as('bob'), asked, { by: PEOPLE.bob })).spec.answer?.by).toEqual(PEOPLE.bob);
  });

  test('where the answerer must be another, who asked has to be said, and truly', async () => {
    const ns = await world.project('other', { 'answerers.notRequester': 'true' });
    await made(ns, 'alice');
    const asked = await as('alice').create(QUESTIONS, question(ns, 'a'));
    const say = (name: Name, requester: string) => answerOf(as(name), asked, { requester, by: PEOPLE[name] });
    const unsaid = await refusal(answer(as('bob'), asked, { by: PEOPLE.bob }));
    expect(unsaid.message).toContain('annotation tiny.dev/requester');
    expect((await refusal(say('alice', 'bob'))).message).toContain('must be who asked for Session a: alice');
    expect((await refusal(say('alice', 'alice'))).message).toContain('somebody else answers');
    await say('bob', 'alice');
  });

  test('who changed the settings is said truly', async () => {
    const ns = await world.project('settings');
    await world.bindSettings(ns, 'olga');
    expect((await refusal(as('olga').create(CONFIG_MAPS, settingsOf(ns, {})))).message).toContain(
      'tiny.dev/changed-by must be {"username":"olga"',
    );
    const by = JSON.stringify({ username: 'olga', groups: ['owners', 'system:authenticated'] });
    const annotations = { 'tiny.dev/changed-by': by };
    await as('olga').create(CONFIG_MAPS, {
      ...settingsOf(ns, {}),
      metadata: { namespace: ns, name: 'tiny-settings', annotations },
    });
  });

  test('a function acts for nobody whom no installer named', async () => {
    const ns = await world.project('unnamed');
    const it = await made(ns, 'alice');
    await world.runSession(ns, 'a');
    const { reason, message } = await told(world.admin, it, 'Materialised');
    expect(reason).toBe('Forbidden');
    expect(message).toContain('cannot impersonate resource "users"');
  });

  test('with the classic verb a function acts for those whom an installer named, and for nobody else', async () => {
    const ns = await world.project('named');
    await applyAll(world.admin, makeImpersonation([PEOPLE.alice]), { wait: setTimeout });
    await made(ns, 'alice');
    await expect
      .poll(async () => {
        await world.runSession(ns, 'a');
        return (await told(world.admin, session(ns, 'a'), 'Materialised')).status;
      })
      .toBe('True');
    const asked = await world.ask(ns, 'a', { spec: spawning('child') });
    await answer(as('alice'), asked, { by: PEOPLE.alice });
    expect(await world.runQuestion(ns, asked.metadata.name)).toMatchObject({ kind: 'done' });
    expect((await world.admin.get(SESSIONS, { namespace: ns, name: 'child' }))?.spec.requester?.username).toBe('alice');
    await as('bob').create(SESSIONS, session(ns, 'b', { requester: PEOPLE.bob }));
    await world.runSession(ns, 'b');
    expect(await told(world.admin, session(ns, 'b'), 'Materialised')).toMatchObject({ reason: 'Forbidden' });
    expect(await world.admin.get(CLAIMS, { namespace: ns, name: 'b' })).toBeUndefined();
    const fn = world.functionClient('session');
    expect((await refusal(fn.list(SECRETS, { namespace: ns }))).code).toBe(403);
    expect(
      (await refusal(fn.as({ ...PEOPLE.alice, groups: ['owners'] }).get(CLAIMS, { namespace: ns, name: 'a' }))).code,
    ).toBe(403);
  });

  test("a CI job's answer is carried out, though its token's own marks are not handed on", async () => {
    const ns = await world.project('ci');
    const username = await serviceAccount(ns);
    await applyAll(world.admin, makeImpersonation([{ username }]), { wait: setTimeout });
    const job = await jobOf(ns);
    expect(Object.keys(job.is.extra ?? {})).toContain('authentication.kubernetes.io/credential-id');
    await made(ns, 'alice');
    const asked = await world.ask(ns, 'a', { spec: spawning('child') });
    await answer(job.client, asked, { by: job.is });
    const right = { namespace: ns, verb: 'impersonate', group: '', resource: 'serviceaccounts', name: 'ci' };
    await mayDo(world.admin, 'system:serviceaccount:tiny-system:question', right);
    expect(await world.runQuestion(ns, asked.metadata.name)).toMatchObject({ kind: 'done' });
    const child = await world.admin.get(SESSIONS, { namespace: ns, name: 'child' });
    expect(child?.spec.requester).toEqual({ username });
  });
});
