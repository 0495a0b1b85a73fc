/** Slack on a real API server: function slack with its real token, acting as people; function question telling them. */
import { describe, expect, test } from 'vitest';
import { FakeSlack } from '../../bench/fake-slack.ts';
import { CHANNEL, pressBody, SECRET, signedBySlack, TEAM } from '../../build/slack-press.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { notify } from '../../lib/channel/notify.ts';
import { QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { withdraw } from '../../lib/question/withdraw.ts';
import { slackApi } from '../../lib/slack/api.ts';
import { idOf } from '../../lib/slack/blocks.ts';
import { slackChannel } from '../../lib/slack/channel.ts';
import { handleSlack } from '../../lib/slack/handle.ts';
import { question, session, spawning, told } from './objects.ts';
import { PEOPLE, type World } from './world.ts';

const now = () => new Date();

export function slackCases(world: () => World): void {
  /** A project with a Session of alice's, the people of the suite by their names in Slack, and a service account. */
  async function stage(ns: string, settings: Record<string, string> = {}) {
    await world().project(ns, { 'channels.slack': CHANNEL, ...settings });
    const account = `system:serviceaccount:${ns}:ci`;
    await world().bindUser(ns, account);
    await world().as('alice').create(SESSIONS, session(ns, 'a'));
    const slack = new FakeSlack();
    const api = slackApi({ post: slack.post, url: 'https://slack.example/api/', token: () => 'xoxb' });
    const mapped = Object.values(PEOPLE).map(({ username, groups }) => ({
      ...{ username, groups, slack: [`${TEAM}/U${username.toUpperCase()}`] },
    }));
    const people = [...mapped, { username: account, slack: [`${TEAM}/UCI`] }];
    const spec = { agent: { name: 'rehearsal' } };
    const handling = {
      ...{ api, now, secrets: () => [SECRET], later: () => undefined, sleep: () => new Promise(() => undefined) },
      client: world().functionClient('slack'),
      identities: () => ({ people }),
      projects: () => ({ projects: [{ namespace: ns, slack: [`${TEAM}/${CHANNEL}`], session: spec }] }),
      log: { info: () => undefined, warn: () => undefined },
    };
    const send = (body: string) => handleSlack(signedBySlack(body, Math.floor(Date.now() / 1000)), handling);
    const telling = {
      channels: { slack: slackChannel(api) },
      now,
      client: world().functionClient('question', 'tiny-notice'),
    };
    return {
      slack,
      press: (user: string, { metadata: { name, uid } }: Stored<Question>, option: string) => {
        const at = slack.messages.find(({ blocks }) => JSON.stringify(blocks).includes(uid));
        const block = idOf({ namespace: ns, name, uid });
        return send(pressBody({ user: `U${user.toUpperCase()}`, block, option, ...(at && { ts: at.ts }) }));
      },
      command: (user: string, text: string) => {
        const of = { command: '/tiny', team_id: TEAM, channel_id: CHANNEL, user_id: `U${user.toUpperCase()}` };
        return send(new URLSearchParams({ ...of, text, trigger_id: `${user} ${text}` }).toString());
      },
      ask: () => world().as('alice').create(QUESTIONS, question(ns, 'a')),
      tell: (name: string) => notify({ namespace: ns, name }, telling),
      look: ({ metadata }: Stored<Question>) => world().admin.get(QUESTIONS, metadata),
    };
  }

  describe('in Slack', () => {
    test.each(['alice', 'ci'])('%s answers and starts Sessions with their own rights, and is stamped', async (who) => {
      const { press, command, ask, look, slack } = await stage(`slack-${who}`);
      const username = who === 'ci' ? `system:serviceaccount:slack-${who}:ci` : who;
      const asked = await ask();
      await press(who, asked, 'allow');
      expect((await look(asked))?.spec.answer).toMatchObject({ option: 'allow', by: { username } });
      for (let times = 0; times < 2; times++)
        expect(await command(who, 'new Say hello')).toMatchObject({
          body: { text: expect.stringContaining(`as ${username}`) },
        });
      const { items } = await world().admin.list(SESSIONS, { namespace: `slack-${who}` });
      expect(items.map(({ spec }) => spec.requester?.username).sort()).toEqual(['alice', username].sort());
      expect(await command(who, 'ls')).toMatchObject({ body: { text: expect.stringContaining('say-hello-') } });
      expect(await command(who, 'show a')).toMatchObject({ body: { text: expect.stringContaining('of alice') } });
      expect(slack.whispers).toEqual([]);
    });

    test('whoever may not is refused in the words of the API server', async () => {
      const { press, command, ask, look, slack } = await stage('slack-may-not', { 'answerers.users': 'bob' });
      const asked = await ask();
      await press('nobody', asked, 'allow');
      await press('dave', asked, 'allow');
      await press('root', asked, 'allow');
      expect(slack.whispers.map(({ text }) => text)).toEqual([
        expect.stringContaining('User "nobody" cannot get resource "questions"'),
        expect.stringContaining('dave may not answer in this project; ConfigMap tiny-settings names who may: bob'),
        expect.stringContaining("group system:masters is the cluster's own"),
      ]);
      expect((await look(asked))?.spec.answer).toBeUndefined();
      expect(await command('dave', 'new x')).toMatchObject({
        body: { text: expect.stringContaining('cannot create resource') },
      });
    });

    test('of two in the same moment one wins, and the other is told who', async () => {
      const { press, ask, look, slack } = await stage('slack-two');
      const asked = await ask();
      await Promise.all([press('alice', asked, 'allow'), press('bob', asked, 'deny'), press('alice', asked, 'allow')]);
      const by = (await look(asked))?.spec.answer?.by?.username;
      const losers = slack.whispers.map(({ user }) => user);
      expect(new Set(losers)).toEqual(new Set([by === 'alice' ? 'UBOB' : 'UALICE']));
      expect(slack.whispers[0]?.text).toContain(`was answered by ${by}`);
    });

    test('the requester does not answer where the settings want another, who does without knowing of labels', async () => {
      const { press, ask, look, slack } = await stage('slack-four-eyes', { 'answerers.notRequester': 'true' });
      const asked = await ask();
      await press('alice', asked, 'allow');
      expect(slack.whispers[0]?.text).toContain('alice asked for Session a, and in this project somebody else answers');
      await press('bob', asked, 'allow');
      expect((await look(asked))?.spec.answer?.by?.username).toBe('bob');
    });

    test('people are told once, and see what came of it, however it was answered', async () => {
      const { press, ask, look, tell, slack } = await stage('slack-told');
      const { name } = (await ask()).metadata;
      const child = await world().ask('slack-told', 'a', { spec: spawning('child') });
      await Promise.all(Array.from({ length: 5 }, () => tell(child.metadata.name)));
      await tell(name);
      expect(slack.messages).toHaveLength(2);
      expect((await told(world().admin, child, 'Notified')).status).toBe('True');
      await press('carol', child, 'allow');
      expect(await world().runQuestion('slack-told', child.metadata.name)).toMatchObject({ kind: 'done' });
      expect(await tell(child.metadata.name)).toMatchObject({ kind: 'done' });
      const shown = JSON.stringify(
        slack.messages.find(({ blocks }) => JSON.stringify(blocks).includes('child'))?.blocks,
      );
      expect(shown).toContain('Answered by carol');
      expect(shown).toContain('carol made Session');
      const conditions = (await look(child))?.status?.conditions?.map(({ type }) => type).sort();
      expect(conditions).toEqual(['Acted', 'Answered', 'Notified']);
    });

    test('a Question whose Session has finished is withdrawn', async () => {
      const { ask } = await stage('slack-withdrawn');
      const asked = await ask();
      const conditions = [
        {
          type: 'Finished',
          status: 'True',
          reason: 'Completed',
          message: '',
          lastTransitionTime: '2026-11-30T12:00:00Z',
        },
      ];
      const path = '/apis/tiny.dev/v1alpha1/namespaces/slack-withdrawn/sessions/a/status';
      await world().admin.request('PATCH', path, { status: { conditions } });
      const ref = { namespace: 'slack-withdrawn', name: asked.metadata.name };
      await withdraw(ref, { client: world().functionClient('question'), now });
      expect(await told(world().admin, asked, 'Acted')).toMatchObject({ status: 'False', reason: 'Withdrawn' });
    });
  });
}
