import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CHANNEL, pressBody, signedBySlack, TEAM } from '../../../build/slack-press.ts';
import { UnusableIdentities } from '../../../lib/identity/mapping.ts';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { idOf } from '../../../lib/slack/blocks.ts';
import { handleSlack } from '../../../lib/slack/handle.ts';
import { listen } from '../../../local/functions/port.ts';
import { apiError } from '../../support/memory-client.ts';
import { at, condition } from '../../support/objects.ts';
import { PEOPLE, REF, SHOWN, slackStage } from './stage.ts';

const ACK = { status: 200 };

describe('a press', () => {
  test('answers as who the presser is in the cluster, is acknowledged with nothing, and says nothing in private', async () => {
    const { press, question, patches, slack, server } = slackStage();
    expect(await press()).toEqual(ACK);
    expect(question()?.spec.answer).toMatchObject({ option: 'allow', by: { username: 'alice', groups: ['team'] } });
    expect(patches()).toEqual(['alice']);
    expect(server.asked.every(({ user }) => user === 'alice')).toBe(true);
    expect(slack.calls).toEqual([]);
  });

  test.each([1, 2, 3])(
    'that Slack sends again (X-Slack-Retry-Num %d) at the same time is one answer, and no complaint',
    async (retries) => {
      const { press, patches, said } = slackStage();
      await Promise.all(Array.from({ length: retries + 1 }, () => press()));
      expect(patches().length).toBeGreaterThanOrEqual(1);
      expect(said()).toBe('');
    },
  );

  test('that Slack sends again after a crash in mid-answer is one answer', async () => {
    let crashes = 1;
    const { press, question, said, server } = slackStage({
      hooks: {
        after: ({ verb }) => {
          if (verb === 'patch' && crashes-- > 0) throw new Error('killed');
        },
      },
    });
    await press();
    const version = question()?.metadata.resourceVersion;
    await press();
    expect(question()?.metadata.resourceVersion).toBe(version);
    expect(question()?.spec.answer?.option).toBe('allow');
    expect(said()).toContain('what was done already is not done twice');
    expect(server.verbs().filter((verb) => verb === 'patch Question')).toHaveLength(1);
  });

  test('of two people, yes and no in the same millisecond: one wins, the other is told who', async () => {
    const { press, question, slack } = slackStage();
    await Promise.all([press(), press({ user: 'U2', option: 'deny' })]);
    const winner = question()?.spec.answer?.by?.username;
    expect(['alice', 'bob']).toContain(winner);
    expect(slack.whispers).toHaveLength(1);
    expect(slack.whispers[0]?.user).toBe(winner === 'alice' ? 'U2' : 'U1');
    expect(slack.whispers[0]?.text).toContain(`was answered by ${winner}`);
  });

  test('by somebody without the right: nothing is answered, and they alone read the words of the API server', async () => {
    const forbidden = 'questions "fix-1" is forbidden: alice may not answer <in> this project';
    const { press, question, slack } = slackStage({
      hooks: {
        before: ({ verb }) => {
          if (verb === 'patch') throw apiError(403, 'Forbidden', forbidden);
        },
      },
    });
    expect(await press()).toEqual(ACK);
    expect(question()?.spec.answer).toBeUndefined();
    expect(slack.whispers).toMatchObject([
      { user: 'U1', channel: CHANNEL, text: expect.stringContaining('alice may not answer &lt;in&gt;') },
    ]);
  });

  test('by somebody whom nobody has mapped: they are told what to ask of whom, and nothing is asked of the API server', async () => {
    const { press, said, server } = slackStage();
    await press({ user: 'U9' });
    expect(said()).toContain(`tiny identity add USERNAME --slack ${TEAM}/U9`);
    expect(server.asked).toEqual([]);
  });

  test('by the same user id in another workspace is nobody’s', async () => {
    const { press, said, question } = slackStage();
    await press({ team: 'T9' });
    expect(said()).toContain('--slack T9/U1');
    expect(question()?.spec.answer).toBeUndefined();
  });

  test('acts as who they are at the act, not at the press: the mapping may change in between', async () => {
    let people = PEOPLE;
    const { press, question, said } = slackStage({ identities: () => people });
    people = { people: [{ username: 'alice2', slack: [`${TEAM}/U1`] }] };
    await press();
    expect(question()?.spec.answer?.by?.username).toBe('alice2');
    people = {};
    await press({ option: 'deny' });
    expect(said()).toContain('does not know who you are');
  });

  test('while the file of identities is unusable answers nothing, and says so', async () => {
    const unusable = () => {
      throw new UnusableIdentities('the file of identities is no JSON');
    };
    const { press, said, question } = slackStage({ identities: unusable });
    await press();
    expect(said()).toContain('the file of identities is no JSON');
    expect(question()?.spec.answer).toBeUndefined();
  });

  test('while the cluster does not answer says so, and quotes nothing', async () => {
    const { press, said, logged } = slackStage({
      hooks: {
        before: () => {
          throw new TypeError('hunter2');
        },
      },
    });
    expect(await press()).toEqual(ACK);
    expect(said()).toContain('The cluster did not answer');
    expect(said() + logged.join()).not.toContain('hunter2');
  });

  test('is acknowledged in time though the act takes longer, and the act goes on', async () => {
    const { promise: slow, resolve: go } = Promise.withResolvers<void>();
    const before = ({ verb }: { verb: string }) => (verb === 'patch' ? slow : undefined);
    const { press, question, pending } = slackStage({ sleep: async () => undefined, hooks: { before } });
    expect(await press()).toEqual(ACK);
    expect(question()?.spec.answer).toBeUndefined();
    go();
    await Promise.all(pending);
    expect(question()?.spec.answer?.option).toBe('allow');
  });

  test('in a channel that the app has left is answered in a message of its own', async () => {
    const { press, slack } = slackStage();
    slack.fault = (method) =>
      method === 'chat.postEphemeral' ? { status: 200, text: '{"ok":false,"error":"not_in_channel"}' } : undefined;
    await press({ user: 'U9' });
    expect(slack.messages).toMatchObject([{ channel: 'U9', text: expect.stringContaining('tiny identity add') }]);
  });

  test('follows no URL that came with it, wherever it points', async () => {
    let called = 0;
    const server = createServer((_, response) => {
      called++;
      response.end();
    });
    onTestFinished(() => void server.close());
    const response_url = `http://127.0.0.1:${await listen(server)}/latest/meta-data`;
    const { press } = slackStage();
    await press({ user: 'U9', more: { response_url } });
    await press({ more: { response_url, response_urls: [{ response_url }] } });
    expect(called).toBe(0);
  });
});

describe('nothing is answered by a press on', () => {
  test('a Question that is answered: who, when and what is told in private', async () => {
    const { press, said, server, at: setTime } = slackStage();
    server.change(QUESTIONS, REF, (it) => {
      it.spec.answer = { option: 'deny', at: at(0), by: { username: 'carol' } };
    });
    setTime(at(120));
    await press();
    expect(said()).toContain('was answered by carol 2m ago: Deny: No. An answer stays.');
  });

  test('a Question that has expired', async () => {
    const { press, said, server, patches } = slackStage();
    server.change(QUESTIONS, REF, (it) => {
      it.spec.expiresAt = at(-1);
    });
    await press();
    expect(said()).toContain('no longer open (Expired)');
    expect(patches()).toEqual([]);
  });

  test('one answered at the last second, with the function asleep until after it', async () => {
    const { send, said, server, at: setTime, question } = slackStage();
    server.change(QUESTIONS, REF, (it) => {
      it.spec.expiresAt = at(1);
    });
    setTime(at(2));
    expect(
      await send(pressBody({ user: 'U1', block: idOf(SHOWN), option: 'allow' }), Date.parse(at(0)) / 1000),
    ).toEqual(ACK);
    expect(question()?.spec.answer).toBeUndefined();
    expect(said()).toContain('Expired');
  });

  test('a Question that is gone, whose message then says so', async () => {
    const { press, said, server, slack } = slackStage();
    slack.messages.push({ channel: CHANNEL, ts: '1', text: '', blocks: [{ type: 'actions' }], updates: 0 });
    server.drop(QUESTIONS, REF);
    await press();
    expect(said()).toContain('is gone');
    expect(slack.messages[0]?.blocks.map(({ type }) => type)).toEqual(['section']);
  });

  test('another Question of the same name', async () => {
    const { press, said, question } = slackStage();
    await press({ block: idOf({ ...SHOWN, uid: 'uid-of-an-earlier-one' }) });
    expect(said()).toContain('is gone');
    expect(question()?.spec.answer).toBeUndefined();
  });

  test('a message that is not the one it was told with', async () => {
    const { press, said, server, question } = slackStage();
    server.change(QUESTIONS, REF, (it) => {
      it.status = { notices: [{ channel: 'slack', to: CHANNEL, id: '7', state: 'Sent', at: at(0), tries: 0 }] };
    });
    for (const foreign of [{ ts: '8' }, { ts: '7', channel: 'C9' }]) await press(foreign);
    expect(said()).toContain('This message is not the one');
    expect(question()?.spec.answer).toBeUndefined();
    await press({ ts: '7' });
    expect(question()?.spec.answer?.option).toBe('allow');
  });

  test('a Question whose Session has finished, or is another one by now', async () => {
    const finished = slackStage();
    finished.server.change(SESSIONS, { namespace: 'team-a', name: 'fix' }, (it) => {
      it.status = { conditions: [condition('Finished', 'True')] };
    });
    await finished.press();
    expect(finished.said()).toContain('waits for nobody any more: Session "fix", which asked, has finished');
    const another = slackStage();
    const owner = { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', name: 'fix', uid: 'of-another' };
    another.server.change(QUESTIONS, REF, (it) => {
      it.metadata.ownerReferences = [owner];
    });
    await another.press();
    expect(another.said()).toContain('which asked, is gone');
    another.server.drop(SESSIONS, { namespace: 'team-a', name: 'fix' });
    await another.press();
    expect([finished, another].flatMap(({ patches }) => patches())).toEqual([]);
  });

  test('an option that the Question has not, or a button that says two things', async () => {
    const { press, said, patches, send } = slackStage();
    await press({ option: 'allow-everything' });
    expect(said()).toContain('has no such answer');
    const actions = [{ action_id: 'option/deny', block_id: idOf(SHOWN), value: 'allow' }];
    await send(pressBody({ user: 'U1', block: '', option: '', more: { actions } }));
    await press({ block: 'question/other' });
    expect(patches()).toEqual([]);
  });
});

describe('a request is refused before anything of it is read', () => {
  const body = pressBody({ user: 'U1', block: idOf(SHOWN), option: 'allow' });

  test.each([
    ['forged', signedBySlack(body, at0(), 'another secret')],
    ['replayed after six minutes', signedBySlack(body, at0() - 360)],
    ['dated six minutes ahead', signedBySlack(body, at0() + 360)],
    ['unsigned', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: Buffer.from(body) }],
    ['unsigned nonsense', { headers: {}, body: Buffer.from([0xff]) }],
  ])('%s', async (_what, request) => {
    const { options, server, slack, logged } = slackStage();
    expect(await handleSlack(request, options)).toEqual({ status: 401 });
    expect([server.asked, slack.calls]).toEqual([[], []]);
    expect(logged.join()).not.toContain('U1');
  });

  test('and one that is signed and unreadable with 400', async () => {
    const { options, server } = slackStage();
    for (const odd of [`${body}&payload=%7B%7D`, '{}', 'payload={'])
      expect(await handleSlack(signedBySlack(odd, at0()), options)).toEqual({ status: 400 });
    const json = signedBySlack('{"type":"block_actions"}', at0());
    expect(
      await handleSlack({ ...json, headers: { ...json.headers, 'content-type': 'application/json' } }, options),
    ).toEqual({ status: 400 });
    expect(server.asked).toEqual([]);
  });

  test('a challenge is answered only where it is signed', async () => {
    const { options } = slackStage();
    const asked = signedBySlack('{"type":"url_verification","challenge":"c"}', at0());
    const request = { ...asked, headers: { ...asked.headers, 'content-type': 'application/json' } };
    expect(await handleSlack(request, options)).toEqual({ status: 200, body: 'c' });
    expect(await handleSlack({ ...request, body: Buffer.from('{}') }, options)).toEqual({ status: 401 });
  });
});

function at0(): number {
  return Date.parse(at(0)) / 1000;
}

describe('four eyes', () => {
  test('what the project wants said with the answer is said: who asked', async () => {
    let wanted = true;
    const { press, question } = slackStage({
      hooks: {
        before: ({ verb }) => {
          if (verb === 'patch' && wanted) {
            wanted = false;
            throw apiError(403, 'Forbidden', 'say who asked: label tiny.dev/answered-by-another');
          }
        },
      },
    });
    await press({ user: 'U2' });
    expect(question()?.metadata).toMatchObject({
      labels: { 'tiny.dev/answered-by-another': '' },
      annotations: { 'tiny.dev/requester': 'alice' },
    });
    expect(question()?.spec.answer?.by?.username).toBe('bob');
  });
});

describe('answering in words', () => {
  test('opens a window, and answers with what was typed, as it was typed', async () => {
    const { send, server, slack, question } = slackStage();
    server.change(QUESTIONS, REF, (it) => {
      it.spec = { session: 'fix', kind: 'Ask', text: 'Which?' };
    });
    const actions = [{ action_id: 'words', block_id: idOf(SHOWN) }];
    await send(pressBody({ user: 'U1', block: '', option: '', more: { actions } }));
    const [opened] = slack.views;
    const view = {
      private_metadata: opened?.view.private_metadata,
      state: { values: { answer: { text: { value: 'a <b> & <@U2>' } } } },
    };
    const payload = { type: 'view_submission', user: { id: 'U1', team_id: TEAM }, view };
    expect(await send(new URLSearchParams({ payload: JSON.stringify(payload) }).toString())).toEqual(ACK);
    expect(question()?.spec.answer).toMatchObject({ text: 'a <b> & <@U2>', by: { username: 'alice' } });
  });

  test('that came too late for Slack says so', async () => {
    const { send, slack, said } = slackStage();
    slack.fault = (method) =>
      method === 'views.open' ? { status: 200, text: '{"ok":false,"error":"expired_trigger_id"}' } : undefined;
    await send(
      pressBody({
        user: 'U1',
        block: '',
        option: '',
        more: { actions: [{ action_id: 'words', block_id: idOf(SHOWN) }] },
      }),
    );
    expect(said()).toContain('expired_trigger_id');
  });
});
