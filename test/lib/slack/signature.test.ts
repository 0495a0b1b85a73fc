import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SECRET, signedBySlack } from '../../../build/slack-press.ts';
import { isFromSlack } from '../../../lib/slack/signature.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const SECONDS = NOW / 1000;
const check = (request: ReturnType<typeof signedBySlack>, secrets = [SECRET]) => isFromSlack(request, secrets, NOW);
const withHeaders = (headers: Record<string, string | undefined>) => {
  const request = signedBySlack('payload=x', SECONDS);
  return isFromSlack({ body: request.body, headers: { ...request.headers, ...headers } }, [SECRET], NOW);
};

describe('taken for a request of Slack is', () => {
  test.each([0, -300, 300, -299.5])('one signed %d s from now', (offset) => {
    expect(check(signedBySlack('payload=x', Math.round(SECONDS + offset)))).toBe(true);
  });

  test('one signed with either secret while it is being changed', () => {
    expect(check(signedBySlack('a', SECONDS, 'new'), ['old', 'new'])).toBe(true);
  });

  test("Slack's own example", () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    const secret = '8f742231b10e8888abcd99yyyzzz85a5';
    expect(isFromSlack({ headers, body: Buffer.from(body) }, [secret], 1_531_420_618_000)).toBe(true);
  });
});

describe('refused is', () => {
  test.each([-301, 301, -86_400, 86_400])('one signed %d s from now: replayed, or dated ahead', (offset) => {
    expect(check(signedBySlack('payload=x', SECONDS + offset))).toBe(false);
  });

  test('one signed with another secret, with none, or where there is no secret', () => {
    expect(check(signedBySlack('a', SECONDS, 'forged'))).toBe(false);
    expect(check(signedBySlack('a', SECONDS, ''), [''])).toBe(false);
    expect(check(signedBySlack('a', SECONDS), [])).toBe(false);
  });

  test('a body changed by one bit, by a line end, or by nothing but more', () => {
    const { headers, body } = signedBySlack('payload=x', SECONDS);
    for (const other of ['payload=y', 'payload=x\n', 'payload=x&payload=x', ''])
      expect(isFromSlack({ headers, body: Buffer.from(other) }, [SECRET], NOW)).toBe(false);
    expect(isFromSlack({ headers, body: Buffer.concat([body, Buffer.from([0])]) }, [SECRET], NOW)).toBe(false);
  });

  test.each([
    { 'x-slack-signature': undefined },
    { 'x-slack-signature': '' },
    { 'x-slack-signature': 'v0=' },
    { 'x-slack-signature': `v0=${'0'.repeat(64)}` },
    { 'x-slack-signature': `v1=${'0'.repeat(64)}` },
    { 'x-slack-signature': `v0=${'z'.repeat(64)}` },
    { 'x-slack-request-timestamp': undefined },
    { 'x-slack-request-timestamp': '' },
    { 'x-slack-request-timestamp': 'NaN' },
    { 'x-slack-request-timestamp': ` ${SECONDS}` },
    { 'x-slack-request-timestamp': `${SECONDS}.0` },
    { 'x-slack-request-timestamp': '1e99' },
  ])('%o', (headers) => {
    expect(withHeaders(headers)).toBe(false);
  });

  test('a time that is signed and is no plain number', () => {
    const time = `0x${SECONDS.toString(16)}`;
    const hex = createHmac('sha256', SECRET).update(`v0:${time}:x`).digest('hex');
    const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hex}` };
    expect(isFromSlack({ headers, body: Buffer.from('x') }, [SECRET], NOW)).toBe(false);
  });
});
