import { describe, expect, test } from 'vitest';
import { CHANNEL, TEAM } from '../../../build/slack-press.ts';
import type { Session } from '../../../lib/api/session.ts';
import { SESSIONS } from '../../../lib/kube/types.ts';
import { apiError } from '../../support/memory-client.ts';
import { condition, makeSession } from '../../support/objects.ts';
import { slackStage } from './stage.ts';

const textOf = (answer: { body?: unknown }) => (answer.body as { text: string }).text;
const sessions = ({ server }: ReturnType<typeof slackStage>) => server.all().filter((one) => one.startsWith('Session'));

describe('/tiny', () => {
  test('new starts a Session in the project of the channel, with what the project gives, as who has typed it', async () => {
    const stage = slackStage();
    const answer = await stage.command('new Fix the *flaky* tests\nplease');
    expect(answer).toMatchObject({ status: 200, body: { response_type: 'ephemeral' } });
    const [, name = ''] = /Session `([^`]+)` is started in `team-a` as alice/.exec(textOf(answer)) ?? [];
    expect(name).toMatch(/^fix-the-flaky-tests-[0-9a-f]{10}$/);
    const made = stage.server.peek(SESSIONS, { namespace: 'team-a', name });
    expect(made?.spec).toMatchObject({
      prompt: 'Fix the *flaky* tests\nplease',
      repository: { url: 'https://git.example/a' },
      requester: { username: 'alice' },
    });
    expect(stage.server.asked).toEqual([{ verb: 'create', kind: 'Session', name, user: 'alice' }]);
  });

  test('new, sent again and again at once, is one Session; typed again it is another', async () => {
    const stage = slackStage();
    const answers = await Promise.all(Array.from({ length: 4 }, () => stage.command('new fix it')));
    expect(new Set(answers.map(textOf)).size).toBe(1);
    expect(sessions(stage)).toHaveLength(2);
    await stage.command('new fix it', '2.2');
    expect(sessions(stage)).toHaveLength(3);
  });

  test('new that the person may not do says so in the words of the API server', async () => {
    const stage = slackStage({
      hooks: {
        before: () => {
          throw apiError(403, 'Forbidden', 'User "alice" cannot create resource "sessions"');
        },
      },
    });
    expect(textOf(await stage.command('new fix it'))).toContain('User "alice" cannot create');
  });

  test('ls and show tell of Sessions; what an agent says mentions nobody', async () => {
    const stage = slackStage();
    const status = { conditions: [condition('Ready', 'True', { reason: 'Working' })], message: 'asking <!channel>' };
    stage.server.put(SESSIONS, makeSession({ metadata: { name: 'other' }, status }) as unknown as Session);
    expect(textOf(await stage.command('ls'))).toMatch(/```\nother Working 2m[\s\S]*```/);
    expect(textOf(await stage.command('show other'))).toContain('asking &lt;!channel&gt;');
    expect(textOf(await stage.command('show nothing'))).toContain('There is no Session');
    expect(textOf(await stage.command('show ../x'))).toContain('Which one?');
  });

  test.each(['', 'help', 'constructor', 'rm -rf'])('%s says what there is, to anybody', async (text) => {
    const stage = slackStage();
    expect(textOf(await stage.command(text, '1.1', 'U9'))).toContain('/tiny new');
    expect(stage.server.asked).toEqual([]);
  });

  test('by somebody whom nobody has mapped, or in a channel of no project, does nothing', async () => {
    const stage = slackStage();
    expect(textOf(await stage.command('new x', '1.1', 'U9'))).toContain(
      `tiny identity add USERNAME --slack ${TEAM}/U9`,
    );
    const elsewhere = slackStage({ projects: () => ({}) });
    expect(textOf(await elsewhere.command('new x'))).toContain(`\`${TEAM}/${CHANNEL}\` to ConfigMap tiny-intake`);
    expect([...stage.server.asked, ...elsewhere.server.asked]).toEqual([]);
  });

  test('that takes longer than Slack waits is answered afterwards, in private', async () => {
    const { promise: slow, resolve: go } = Promise.withResolvers<void>();
    const stage = slackStage({ sleep: async () => undefined, hooks: { before: () => slow } });
    expect(await stage.command('ls')).toEqual({ status: 200 });
    expect(stage.said()).toBe('');
    go();
    await Promise.all(stage.pending);
    expect(stage.said()).toContain('fix');
  });
});

describe('the e-mail address that Slack has verified', () => {
  const MEMBER = { id: 'U9', team_id: TEAM, is_email_confirmed: true, profile: { email: 'Eve@example.com' } };
  const rule = { slackTeam: TEAM, domain: 'example.com', username: '{email}' };
  const typed = async (user: object) => {
    const stage = slackStage({ identities: () => ({ rules: [rule] }) });
    stage.slack.users.set('U9', user);
    return textOf(await stage.command('new x', '1.1', 'U9'));
  };

  test('says who somebody is, where a rule takes it', async () => {
    expect(await typed(MEMBER)).toContain('as eve@example.com');
  });

  test.each([
    { is_email_confirmed: false },
    { is_email_confirmed: undefined },
    { deleted: true },
    { is_bot: true },
    { is_restricted: true },
    { is_ultra_restricted: true },
    { is_stranger: true },
    { team_id: 'T9' },
    { id: 'U8' },
    { profile: {} },
  ])('does not where %o', async (odd) => {
    expect(await typed({ ...MEMBER, ...odd })).toContain('does not know who you are');
  });

  test('is not asked for where no rule would take it', async () => {
    const stage = slackStage();
    await stage.command('new x', '1.1', 'U9');
    expect(stage.slack.calls).toEqual([]);
  });
});
