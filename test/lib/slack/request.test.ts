import { describe, expect, test } from 'vitest';
import { pressBody } from '../../../build/slack-press.ts';
import { readSlack, UnreadableRequest } from '../../../lib/slack/request.ts';

const FORM = 'application/x-www-form-urlencoded';
const read = (body: string | Buffer, type = FORM) => readSlack(type, Buffer.from(body));
const payload = (value: object) => new URLSearchParams({ payload: JSON.stringify(value) }).toString();
const COMMAND = {
  command: '/tiny',
  text: ' new fix &lt;b&gt; &amp;amp; ',
  team_id: 'T1',
  channel_id: 'C1',
  user_id: 'U1',
  trigger_id: '1.2',
};

describe('read is', () => {
  test('a press: who as Slack says, which block, which option', () => {
    expect(read(pressBody({ user: 'U1', team: 'T1', block: 'question/a/b/c', option: 'allow', ts: '5' }))).toEqual({
      kind: 'press',
      by: { team: 'T1', user: 'U1' },
      channel: 'C0000001',
      ts: '5',
      trigger: '1.2.3',
      block: 'question/a/b/c',
      action: 'option/allow',
      value: 'allow',
    });
  });

  test("in a shared channel, the presser's own workspace", () => {
    const more = { user: { id: 'U1', team_id: 'T9' }, team: { id: 'T1' } };
    expect(read(pressBody({ user: 'U1', block: 'b', option: 'o', more }))).toMatchObject({ by: { team: 'T9' } });
  });

  test('a command, with what Slack has escaped as it was typed', () => {
    expect(read(new URLSearchParams(COMMAND).toString())).toMatchObject({ kind: 'command', text: 'new fix <b> &amp;' });
  });

  test('words typed into a window', () => {
    const view = { private_metadata: 'x', state: { values: { answer: { text: { value: 'a <b> & <!channel>' } } } } };
    const submitted = { type: 'view_submission', user: { id: 'U1', team_id: 'T1' }, view };
    expect(read(payload(submitted))).toMatchObject({ kind: 'words', text: 'a <b> & <!channel>', context: 'x' });
  });

  test('the question whether this is the URL, and the look at its certificate', () => {
    expect(read('{"type":"url_verification","challenge":"c"}', 'application/json')).toEqual({
      kind: 'challenge',
      challenge: 'c',
    });
    expect(read('ssl_check=1&token=x')).toEqual({ kind: 'ping' });
  });

  test('as nothing to do: other kinds, two actions at once, a press outside of a message', () => {
    for (const body of [
      payload({ type: 'view_closed' }),
      pressBody({ user: 'U1', block: 'b', option: 'o', more: { actions: [] } }),
      pressBody({ user: 'U1', block: 'b', option: 'o', more: { container: {} } }),
    ])
      expect(read(body)).toEqual({ kind: 'other' });
  });
});

describe('unreadable is', () => {
  test.each([
    ['a second payload', `${payload({ type: 'block_actions' })}&payload=%7B%7D`],
    ['a field of a command twice', `${new URLSearchParams(COMMAND)}&user_id=U2`],
    ['no JSON', 'payload=hunter2'],
    ['a payload that is a list', 'payload=%5B%5D'],
    ['a payload without a type', 'payload=%7B%7D'],
    ['nothing', ''],
    ['half of a command', 'command=%2Ftiny'],
    ['a user that is none', pressBody({ user: '../U1', block: 'b', option: 'o' })],
    [
      'a user of no workspace',
      pressBody({ user: 'U1', block: 'b', option: 'o', more: { user: { id: 'U1' }, team: null } }),
    ],
    ['a deep payload', `payload=${'%5B'.repeat(5000)}`],
  ])('%s', (_what, body) => {
    expect(() => read(body)).toThrow(UnreadableRequest);
  });

  test.each(['application/json', 'multipart/form-data', 'text/plain', ''])('a press sent as %s', (type) => {
    expect(() => read(pressBody({ user: 'U1', block: 'b', option: 'o' }), type)).toThrow(UnreadableRequest);
  });

  test('no UTF-8, and what is refused is not quoted', () => {
    expect(() => read(Buffer.from([0xff, 0xfe]))).toThrow(UnreadableRequest);
    expect(() => read('payload=hunter2')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
