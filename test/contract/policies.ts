/** Who acted, as the API server holds it: what is stamped, and attempts to act as somebody else. */
import { describe, expect, test } from 'vitest';
import { QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { answer, CONFIG_MAPS, edit, NAMESPACES, question, refusal, session, settingsOf, spawning } from './objects.ts';
import type { World } from './world.ts';

const ALICE = { username: 'alice', uid: 'u-alice', groups: ['team', 'system:authenticated'] };
const BOB = { username: 'bob', uid: 'u-bob', groups: ['team', 'system:authenticated'] };
const LIAR = { username: 'bob', uid: 'u-bob', groups: ['owners'] };

export function stampCases(world: () => World): void {
  const as = (name: Parameters<World['as']>[0]) => world().as(name);

  describe('the requester', () => {
    test('is who makes the Session, whatever the client wrote', async () => {
      const ns = await world().project('made');
      const made = await as('alice').create(SESSIONS, session(ns, 'a', { requester: LIAR }));
      expect(made.spec.requester).toEqual(ALICE);
      const applied = await as('bob').apply(SESSIONS, session(ns, 'b', { requester: ALICE }));
      expect(applied.spec.requester).toEqual(BOB);
    });

    test("becomes whoever changes another's Session, so that nobody acts with its first requester's rights", async () => {
      const ns = await world().project('changed');
      const made = await as('alice').create(SESSIONS, session(ns, 'a'));
      const { spec } = await edit(as('bob'), made, { suspend: true, requester: ALICE });
      expect(spec.requester).toEqual(BOB);
      const back = await edit(as('alice'), made, { messages: [{ id: 'm', text: 'go on' }] });
      expect(back.spec.requester).toEqual(ALICE);
    });

    test.each([
      ['a field that was not there', { touched: '2026-11-30T12:00:00Z' }],
      ['a field that is taken away', { credentials: null }],
      ['a field deep inside', { agent: { env: [{ name: 'A', value: 'evil' }] } }],
    ])('becomes whoever changes %s', async (what, change) => {
      const ns = await world().project(`changed-${what.replaceAll(' ', '-')}`);
      const made = await as('alice').create(SESSIONS, session(ns, 'a', { credentials: [{ secret: 's' }] }));
      expect((await edit(as('bob'), made, change)).spec.requester).toEqual(BOB);
    });

    test('is stamped anew at every change, so that no stamp outlives a membership', async () => {
      const ns = await world().project('left');
      const made = await as('alice').create(SESSIONS, session(ns, 'a'));
      const gone = world().admin.as({ username: 'alice', uid: 'u-alice', groups: ['other'] });
      await world().bindSessionEditor(ns, 'alice');
      const still = await edit(gone, made, { requester: ALICE });
      expect(still.spec.requester).toEqual(ALICE);
      const { spec } = await edit(gone, made, { suspend: true, requester: ALICE });
      expect(spec.requester).toEqual({ ...ALICE, groups: ['other', 'system:authenticated'] });
      const back = await edit(as('alice'), made, { touched: '2026-11-30T12:00:00Z' });
      expect(back.spec.requester).toEqual(ALICE);
    });

    test('stays where only labels change, or nothing but the requester', async () => {
      const ns = await world().project('stays');
      const made = await as('alice').create(SESSIONS, session(ns, 'a'));
      expect((await edit(as('bob'), made, { requester: LIAR })).spec.requester).toEqual(ALICE);
      expect((await edit(as('bob'), made, { requester: null })).spec.requester).toEqual(ALICE);
      expect((await edit(as('alice'), made, { suspend: true, requester: LIAR })).spec.requester).toEqual(ALICE);
      expect((await edit(as('bob'), made, { suspend: true, requester: LIAR })).spec.requester).toEqual(ALICE);
      const labelled = await as('bob').patch(SESSIONS, made.metadata, {
        type: 'merge',
        body: { metadata: { labels: { a: 'b' } }, spec: { requester: null } },
      });
      expect(labelled.spec.requester).toEqual(ALICE);
    });

    test('with the name of a deleted user is another person: the uid counts', async () => {
      const ns = await world().project('uid');
      const made = await as('alice').create(SESSIONS, session(ns, 'a'));
      const successor = world().admin.as({ username: 'alice', uid: 'u-other', groups: ['team'] });
      const changed = await edit(successor, made, { suspend: true });
      expect(changed.spec.requester).toMatchObject({ username: 'alice', uid: 'u-other' });
    });

    test("keeps an extra attribute, which may limit what its bearer may do, and a service account's pod", async () => {
      const ns = await world().project('extra');
      const scoped = world().admin.as({
        username: 'eve',
        groups: ['team'],
        extra: { 'example.com/scopes': ['a', 'b'] },
      });
      const made = await scoped.create(SESSIONS, session(ns, 'a'));
      expect(made.spec.requester?.extra).toEqual({ 'example.com/scopes': ['a', 'b'] });
    });
  });

  describe('the answerer', () => {
    test('is who answers, whatever the client wrote', async () => {
      const ns = await world().project('answered');
      await as('alice').create(SESSIONS, session(ns, 'a'));
      const asked = await as('alice').create(QUESTIONS, question(ns, 'a'));
      const { spec } = await answer(as('bob'), asked, { by: ALICE });
      expect(spec.answer?.by).toEqual(BOB);
      expect((await answer(as('alice'), asked, { by: ALICE })).spec.answer?.by).toEqual(BOB);
    });

    test('answers once: a second answer is refused', async () => {
      const ns = await world().project('answered-twice');
      await as('alice').create(SESSIONS, session(ns, 'a'));
      const asked = await as('alice').create(QUESTIONS, question(ns, 'a'));
      await answer(as('bob'), asked);
      const { code, message } = await refusal(answer(as('alice'), asked, { option: 'deny' }));
      expect(code).toBe(422);
      expect(message).toContain('has been answered already');
    });

    test("is never a function: it can't make a Question answered", async () => {
      const ns = await world().project('answered-by-function');
      await as('alice').create(SESSIONS, session(ns, 'a'));
      const asked = await as('alice').create(QUESTIONS, question(ns, 'a'));
      const fn = world().functionClient('question');
      expect((await refusal(answer(fn, asked, { by: ALICE }))).code).toBe(403);
      expect((await refusal(answer(fn.as(BOB), asked))).code).toBe(403);
      const body = {
        apiVersion: asked.apiVersion,
        kind: asked.kind,
        metadata: { ...asked.metadata, managedFields: undefined },
      };
      const { spec } = await fn.applyStatus(QUESTIONS, {
        ...body,
        ...{ spec: { answer: { option: 'allow' } } },
        status: {},
      });
      expect(spec.answer).toBeUndefined();
    });
  });
}

/** Who may ask for what. */
export function askingCases(world: () => World): void {
  test('a Permit and a Spawn are asked by an agent alone; an Ask by whoever may', async () => {
    const ns = await world().project('who-asks');
    await world().as('alice').create(SESSIONS, session(ns, 'a'));
    const permit = { kind: 'Permit', toolCall: { id: '1', title: 'rm' } };
    for (const spec of [spawning('x'), permit]) {
      for (const person of [world().as('alice'), world().admin]) {
        const { code, message } = await refusal(person.create(QUESTIONS, question(ns, 'a', { spec })));
        expect(code).toBe(403);
        expect(message).toContain('only an agent asks for a permission');
      }
      await world().ask(ns, 'a', { spec });
    }
    await world().as('alice').create(QUESTIONS, question(ns, 'a'));
  });
}

/** Who may change the settings, and who did: the stand-in has the second only. */
export function guardCases(world: () => World): void {
  const as = (name: Parameters<World['as']>[0]) => world().as(name);

  describe('the settings of a project', () => {
    const by = { 'tiny.dev/changed-by': '{"username":"olga","groups":["owners","system:authenticated"]}' };

    test('say who changed them, as JSON', async () => {
      const ns = await world().project('settings');
      const made = await as('olga').create(CONFIG_MAPS, settingsOf(ns, { 'about.txt': 'b' }));
      expect(made.metadata.annotations).toEqual(by);
      const lie = { metadata: { annotations: { 'tiny.dev/changed-by': 'bob', other: 'x' } } };
      const kept = await world().admin.patch(CONFIG_MAPS, made.metadata, { type: 'merge', body: lie });
      expect(kept.metadata.annotations).toEqual({ ...by, other: 'x' });
      const body = { data: { 'about.txt': 'c' } };
      const changed = await world().admin.patch(CONFIG_MAPS, made.metadata, { type: 'merge', body });
      expect(JSON.parse(changed.metadata.annotations?.['tiny.dev/changed-by'] ?? '')).toMatchObject({
        username: 'tiny:engine-admin',
      });
    });

    test('are changed and deleted by its administrators alone, though others may write ConfigMaps', async () => {
      const ns = await world().project('settings-guarded', { 'answerers.users': 'olga' });
      const editor = world().admin.as({ username: 'eddie', groups: ['editors'] });
      await world().bindEditor(ns, 'eddie');
      const other = { ...settingsOf(ns, {}), metadata: { namespace: ns, name: 'other' } };
      await editor.create(CONFIG_MAPS, other);
      const change = { type: 'merge', body: { data: { 'answerers.users': 'eddie' } } } as const;
      const refused = await refusal(editor.patch(CONFIG_MAPS, { namespace: ns, name: 'tiny-settings' }, change));
      expect(refused.code).toBe(403);
      expect(refused.message).toContain('which ClusterRole tiny-admin gives');
      const gone = await refusal(editor.delete(CONFIG_MAPS, { namespace: ns, name: 'tiny-settings' }));
      expect(gone.code).toBe(403);
      // The built-in role edit may delete a collection, of which the API server tells no name.
      for (const which of ['', '?fieldSelector=metadata.name%3Dtiny-settings']) {
        const all = editor.request('DELETE', `/api/v1/namespaces/${ns}/configmaps${which}`);
        expect((await refusal(all)).message).toContain('which ClusterRole tiny-admin gives');
      }
      await editor.request('DELETE', `/api/v1/namespaces/${ns}/configmaps?fieldSelector=metadata.name%3Dother`);
      await as('olga').patch(CONFIG_MAPS, { namespace: ns, name: 'tiny-settings' }, change);
      await as('olga').delete(CONFIG_MAPS, { namespace: ns, name: 'tiny-settings' });
    });

    test('do not keep a project from being deleted with all that is in it', async () => {
      const ns = await world().project('settings-going', { 'about.txt': 'b' });
      await as('alice').create(SESSIONS, session(ns, 'a'));
      await as('alice').create(QUESTIONS, question(ns, 'a'));
      await world().admin.request('DELETE', `/api/v1/namespaces/${ns}`);
      const left = () => world().admin.get(NAMESPACES, { name: ns });
      await expect.poll(left, { timeout: 50_000, interval: 250 }).toBeUndefined();
    });
  });
}
