/** GitHub on a real API server: function github with its real token, acting as people and noting where it told them. */
import { describe, expect, test } from 'vitest';
import { makeGitHub } from '../../lib/github/api.ts';
import { takeEvent } from '../../lib/github/event.ts';
import { handleGitHub } from '../../lib/github/handle.ts';
import { tellSession } from '../../lib/github/tell.ts';
import { makeTold } from '../../lib/github/told.ts';
import { QUESTIONS, type Ref, SESSIONS } from '../../lib/kube/types.ts';
import { ALICE, BOB, commented, type Delivery, fakeGitHub, labeled, SECRET } from '../lib/github/fake-github.ts';
import { NOW } from '../support/objects.ts';
import { question, told } from './objects.ts';
import { PEOPLE, type World } from './world.ts';

export function githubCases(world: () => World): void {
  /** A project for acme/shop, in which GitHub's alice is `who`. */
  async function stage(ns: string, who: 'alice' | 'ci' | 'dave') {
    await world().project(ns);
    const account = `system:serviceaccount:${ns}:ci`;
    if (who === 'ci') await world().bindUser(ns, account);
    const { username, groups } = who === 'ci' ? { username: account, groups: [] } : PEOPLE[who];
    const people = [
      { username, ...(groups.length && { groups }), github: [ALICE.id] },
      { username: 'bob', groups: ['team'], github: [BOB.id] },
    ];
    const fake = fakeGitHub();
    const now = () => NOW;
    const github = makeGitHub({ send: fake.send, url: 'https://api.github.com', token: async () => 't', now });
    const common = {
      ...{ client: world().functionClient('github'), github, now, secret: () => SECRET, secrets: () => [SECRET] },
      projects: () => ({
        projects: [{ namespace: ns, github: ['acme/shop'], session: { agent: { name: 'rehearsal' } } }],
      }),
      told: makeTold(),
      ...{ identities: () => ({ people }), log: { info: () => undefined, warn: () => undefined } },
    };
    return {
      fake,
      username,
      send: (delivery: Delivery) => handleGitHub(delivery, { ...common, tellLater: () => undefined }),
      tell: (session: Ref) => tellSession(session, common),
      /** As a Question that changed wakes it. */
      wake: (name: string) =>
        takeEvent(
          {
            headers: {
              ...{ 'ce-id': '1', 'ce-source': 'https://kubernetes', 'ce-specversion': '1.0', 'ce-kind': 'Question' },
              ...{ 'ce-type': 'dev.knative.apiserver.ref.add', 'content-type': 'application/json' },
            },
            body: Buffer.from(
              JSON.stringify({ apiVersion: 'tiny.dev/v1alpha1', kind: 'Question', namespace: ns, name }),
            ),
          },
          { ...common, tell: (session) => tellSession(session, common) },
        ),
      sessions: async () => (await world().admin.list(SESSIONS, { namespace: ns })).items,
    };
  }

  describe('from GitHub', () => {
    test.each(['alice', 'ci'] as const)('a Session of %s is started once, told more, and told about', async (who) => {
      const ns = `github-${who}`;
      const { send, sessions, tell, wake, fake, username } = await stage(ns, who);
      const answers = await Promise.all(Array.from({ length: 10 }, () => send(labeled(ALICE))));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
      await Promise.all([1, 2, 3].map(() => send(commented(ALICE, '/tiny and a test'))));
      const [session, another] = await sessions();
      expect(another).toBeUndefined();
      if (!session) throw new Error('no Session was made');
      expect(session.spec).toMatchObject({
        requester: { username },
        messages: [{ text: 'alice-gh says: and a test' }],
      });
      const { name } = session.metadata;
      const asked = await world().as('alice').create(QUESTIONS, question(ns, name));
      expect(await wake(asked.metadata.name)).toEqual({ status: 202 });
      await Promise.all([1, 2].map(() => tell({ namespace: ns, name })));
      await tell({ namespace: ns, name });
      expect(fake.comments.get(12)?.[0]?.body).toContain(`**Session \`${name}\`** in \`${ns}\``);
      expect(await told(world().admin, session, 'Replied')).toMatchObject({ status: 'True', reason: 'Replied' });
    });

    test('whoever may make no Session makes none, and is told why', async () => {
      const { send, sessions, fake } = await stage('github-may-not', 'dave');
      expect((await send(labeled(ALICE))).body).toContain('refused');
      expect(await sessions()).toEqual([]);
      expect(fake.comments.get(12)?.[0]?.body).toContain('User "dave" cannot create resource "sessions"');
    });

    test("another's comment steers no Session", async () => {
      const { send, sessions } = await stage('github-other', 'alice');
      await send(labeled(ALICE));
      expect((await send(commented(BOB, '/tiny mine now'))).body).toContain('acts for alice');
      const [session] = await sessions();
      expect(session?.spec).toMatchObject({ requester: { username: 'alice' } });
      expect(session?.spec.messages).toBeUndefined();
    });
  });
}
