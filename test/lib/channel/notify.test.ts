import { describe, expect, test } from 'vitest';
import { FakeSlack, slackError } from '../../../bench/fake-slack.ts';
import { CHANNEL } from '../../../build/slack-press.ts';
import { ChannelError } from '../../../lib/channel/channel.ts';
import { type NotifyOptions, notify } from '../../../lib/channel/notify.ts';
import { remind } from '../../../lib/channel/remind.ts';
import { CONFIG_MAPS, QUESTIONS } from '../../../lib/kube/types.ts';
import { slackApi } from '../../../lib/slack/api.ts';
import { slackChannel } from '../../../lib/slack/channel.ts';
import { apiError, type Hooks, MemoryServer } from '../../support/memory-client.ts';
import { at, condition, makeQuestion, NOW, YES } from '../../support/objects.ts';

const REF = { namespace: 'team-a', name: 'fix-1' };

function stage(data: Record<string, string> = { 'channels.slack': CHANNEL }, hooks: Hooks = {}) {
  const server = new MemoryServer(hooks);
  const slack = new FakeSlack();
  let now = NOW;
  const api = slackApi({ post: slack.post, url: 'https://slack.example/api/', token: () => 'xoxb' });
  const options: NotifyOptions = {
    client: server.client('tiny-notice'),
    now: () => now,
    channels: { slack: slackChannel(api) },
  };
  server.put(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'team-a', name: 'tiny-settings' },
    data,
  });
  server.put(QUESTIONS, makeQuestion());
  const question = () => {
    const found = server.peek(QUESTIONS, REF);
    if (!found) throw new Error('gone');
    return found;
  };
  const notified = () => question().status?.conditions?.find(({ type }) => type === 'Notified');
  return {
    ...{ server, slack, options, question, notified },
    run: () => notify(REF, options),
    later: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000);
    },
    answered: () =>
      server.change(QUESTIONS, REF, (it) => {
        it.spec.answer = { ...YES, at: at(5) };
        const conditions = [condition('Answered', 'True'), condition('Acted', 'True', { reason: 'Spawned' })];
        it.status = { ...it.status, conditions: [...(it.status?.conditions ?? []), ...conditions] };
      }),
  };
}

describe('people are told of a Question', () => {
  test('once, however often the event comes', async () => {
    const { run, slack, notified, question } = stage();
    for (let time = 0; time < 5; time++) expect(await run()).toMatchObject({ kind: 'done' });
    expect(slack.messages).toHaveLength(1);
    expect(notified()).toMatchObject({ status: 'True', reason: 'Sent', message: 'told by slack' });
    expect(question().status?.notices).toMatchObject([
      { channel: 'slack', to: CHANNEL, id: slack.messages[0]?.ts, state: 'Sent', tries: 0 },
    ]);
  });

  test('once, though ten events come at once; those that find it under way come again', async () => {
    const { run, slack } = stage();
    const outcomes = await Promise.all(Array.from({ length: 10 }, run));
    expect(slack.messages).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'done')).not.toHaveLength(0);
    expect(new Set(outcomes.map(({ kind }) => kind)).size).toBeLessThanOrEqual(2);
    expect(await run()).toMatchObject({ kind: 'done' });
  });

  test('nowhere, where the settings name no channel, nor of one that is decided already', async () => {
    const none = stage({});
    expect(await none.run()).toMatchObject({ kind: 'done' });
    expect(none.server.verbs()).toEqual(['get ConfigMap']);
    const decided = stage();
    decided.answered();
    await decided.run();
    expect(decided.slack.messages).toEqual([]);
  });

  test('and see who answered, and what came of it, in the same message, which loses its buttons', async () => {
    const { run, slack, answered } = stage();
    await run();
    answered();
    for (let time = 0; time < 3; time++) expect(await run()).toMatchObject({ kind: 'done' });
    const [message] = slack.messages;
    expect(message?.updates).toBe(1);
    expect(JSON.stringify(message?.blocks)).toContain('Answered by bob');
    expect(message?.blocks.map(({ type }) => type)).not.toContain('actions');
  });

  test('where it is answered while they are being told, by the next event', async () => {
    const { run, slack, answered, question } = stage();
    slack.fault = () => {
      slack.fault = () => undefined;
      answered();
      return undefined;
    };
    await run();
    expect(
      question()
        .status?.conditions?.map(({ type }) => type)
        .sort(),
    ).toEqual(['Acted', 'Answered', 'Notified']);
    await run();
    expect(JSON.stringify(slack.messages[0]?.blocks)).toContain('Answered by bob');
    expect(slack.messages).toHaveLength(1);
  });
});

describe('people are reminded', () => {
  const expiring = () => {
    const told = stage();
    told.server.change(QUESTIONS, REF, (it) => {
      it.metadata.creationTimestamp = at(0);
      it.spec.expiresAt = at(4000);
    });
    return told;
  };

  test('once, when a quarter of the time is left, below the message that they have', async () => {
    const { run, slack, later } = expiring();
    await run();
    later(2999);
    await run();
    expect(slack.messages).toHaveLength(1);
    later(2);
    for (let time = 0; time < 3; time++) expect(await run()).toMatchObject({ kind: 'done' });
    expect(slack.messages).toMatchObject([{}, { text: expect.stringContaining('expires at 2026-11-30T13:06:40Z') }]);
  });

  test('not where it is answered, nor again where it could not be said', async () => {
    const answered = expiring();
    await answered.run();
    answered.answered();
    answered.later(3500);
    await answered.run();
    expect(answered.slack.messages).toHaveLength(1);
    const down = expiring();
    await down.run();
    down.later(3500);
    down.slack.fault = () => ({ status: 503, text: '' });
    expect(await down.run()).toMatchObject({ kind: 'done', message: expect.stringContaining('not reminded') });
    down.slack.fault = () => undefined;
    await down.run();
    expect(down.slack.messages).toHaveLength(1);
    expect(down.notified()).toMatchObject({ status: 'True' });
  });

  test.each([
    ['an hour before at the latest', 100_000, 96_401, 'remind'],
    ['not earlier', 100_000, 96_399, 'wait'],
    ['not once it has expired', 100, 101, 'nothing'],
    ['of what never expires, never', undefined, 1e6, 'nothing'],
  ])('%s', (_what, expires, now, due) => {
    const notices = [{ channel: 'slack', state: 'Sent', at: at(0), tries: 0 }];
    const spec = expires === undefined ? {} : { expiresAt: at(expires) };
    const question = makeQuestion({ metadata: { creationTimestamp: at(0) }, spec, status: { notices } });
    expect(remind(question, new Date(at(now))).do).toBe(due);
    expect(remind({ ...question, status: {} }, new Date(at(now))).do).toBe('nothing');
  });
});

describe('a sender that was killed', () => {
  test('before it sent: another sends once it must have died', async () => {
    const { run, slack, later, options } = stage();
    const dead = stage();
    await notify(REF, { ...dead.options, client: options.client, channels: { slack: hanging } }).catch(() => undefined);
    expect(await run()).toMatchObject({ kind: 'throttled' });
    expect(slack.messages).toEqual([]);
    later(16);
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(slack.messages).toHaveLength(1);
  });

  test('after it sent and before it noted: its message is found, and none is sent again', async () => {
    let noting = 0;
    const { run, slack, later, notified } = stage(undefined, {
      before: ({ verb }) => {
        if (verb === 'applyStatus' && ++noting === 2) throw apiError(500, 'InternalError', 'killed');
      },
    });
    expect(await run()).toMatchObject({ kind: 'failed' });
    expect(slack.messages).toHaveLength(1);
    later(16);
    await run();
    expect(slack.messages).toHaveLength(1);
    expect(notified()).toMatchObject({ status: 'True' });
  });

  test('where the channel may not be read, it is sent again rather than not at all', async () => {
    let noting = 0;
    const { run, slack, later, notified } = stage(undefined, {
      before: ({ verb }) => {
        if (verb === 'applyStatus' && ++noting === 2) throw apiError(500, 'InternalError', 'killed');
      },
    });
    await run();
    later(16);
    slack.fault = (method) => (method === 'conversations.history' ? slackError('missing_scope') : undefined);
    await run();
    expect(slack.messages).toHaveLength(2);
    expect(notified()).toMatchObject({ status: 'True' });
  });
});

/** Never answers in the lifetime of its process. */
const hanging = {
  post: () => Promise.reject(new Error('killed')),
  update: () => Promise.reject(new Error('killed')),
};

describe('where people can not be told', () => {
  const cases: [what: string, answer: ReturnType<FakeSlack['fault']> | Error, reason: string, kind: string][] = [
    ['Slack is down', { status: 503, text: '' }, 'Unavailable', 'throttled'],
    ['Slack can not be reached', new Error('ECONNREFUSED'), 'Unavailable', 'throttled'],
    ['Slack answers nonsense', { status: 200, text: '<html>' }, 'Refused', 'refused'],
    ['Slack asks to wait', { status: 429, text: '', retryAfterSeconds: 20 }, 'RateLimited', 'throttled'],
    ['the channel is gone', slackError('channel_not_found'), 'ChannelGone', 'refused'],
    ['the channel is archived', slackError('is_archived'), 'ChannelGone', 'refused'],
    ['the token is revoked', slackError('token_revoked'), 'TokenRefused', 'refused'],
    ['a scope is missing', slackError('missing_scope'), 'NotPermitted', 'refused'],
  ];

  test.each(cases)(
    'because %s, the Question says so, stays open, and is told later',
    async (_what, answer, reason, kind) => {
      const { run, slack, later, notified, question } = stage();
      slack.fault = () => {
        if (answer instanceof Error) throw answer;
        return answer;
      };
      expect(await run()).toMatchObject({ kind });
      expect(notified()).toMatchObject({ status: 'False', reason, message: expect.stringContaining('All other ways') });
      expect(question().spec.answer).toBeUndefined();
      slack.fault = () => undefined;
      const tried = slack.calls.length;
      await run();
      expect(slack.calls).toHaveLength(tried);
      later(901);
      expect(await run()).toMatchObject({ kind: 'done' });
      expect(slack.messages).toHaveLength(1);
      expect(notified()).toMatchObject({ status: 'True' });
    },
  );

  test('our own report, coming back as an event, tries nothing: each try is later than the one before', async () => {
    const { run, slack, later } = stage();
    slack.fault = () => ({ status: 503, text: '' });
    const tries: number[] = [];
    for (let second = 0; second < 120; second++) {
      const before = slack.calls.length;
      await run();
      if (slack.calls.length > before) tries.push(second);
      later(1);
    }
    expect(tries).toEqual([0, 5, 15, 35, 75]);
  });

  test('no sooner than Slack asks for', async () => {
    const { run, slack, later } = stage();
    slack.fault = () => ({ status: 429, text: '', retryAfterSeconds: 20 });
    expect(await run()).toMatchObject({ kind: 'throttled', retryAfterSeconds: 20 });
    later(19);
    await run();
    expect(slack.calls).toHaveLength(1);
    later(2);
    await run();
    expect(slack.calls).toHaveLength(2);
  });

  test('because nothing here can use the channel', async () => {
    const { run, notified } = stage({ 'channels.teams': 'x' });
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(notified()).toMatchObject({ status: 'False', reason: 'NotConfigured' });
  });

  test('by one channel, the other tells them, and the condition keeps to what failed', async () => {
    const told: string[] = [];
    const { options, slack, notified, question } = stage({
      'channels.slack': CHANNEL,
      'channels.webhook': 'https://x.example',
    });
    const webhook = {
      post: async (_telling: unknown, to: string) => void told.push(to) as undefined,
      update: async () => undefined,
    };
    slack.fault = () => slackError('channel_not_found');
    await notify(REF, { ...options, channels: { ...options.channels, webhook } });
    expect(told).toEqual(['https://x.example']);
    expect(notified()).toMatchObject({ status: 'False', reason: 'ChannelGone' });
    expect(JSON.stringify(question().status)).not.toContain('x.example');
  });

  test('a message that somebody has deleted needs no update', async () => {
    const { run, slack, answered, notified } = stage();
    await run();
    slack.messages.length = 0;
    answered();
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(notified()).toMatchObject({ status: 'True' });
  });

  test('what failed is a ChannelError with a reason of its own', () => {
    expect(new ChannelError('R', 'm', { passes: false })).toMatchObject({ reason: 'R', message: 'm', passes: false });
  });
});
