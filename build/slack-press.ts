/** Requests as Slack sends them: signed presses, for what tries and measures function `slack`. */
import { createHmac } from 'node:crypto';

export const SECRET = 'fake-signing-secret';
export const TEAM = 'T0000001';
export const CHANNEL = 'C0000001';

export interface SignedRequest {
  headers: Record<string, string>;
  body: Buffer;
}

/** As Slack signs it. `seconds` since 1970. */
export function signedBySlack(body: string | Buffer, seconds: number, secret: string = SECRET): SignedRequest {
  const bytes = Buffer.from(body);
  const digest = createHmac('sha256', secret).update(`v0:${seconds}:`).update(bytes).digest('hex');
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': `v0=${digest}`,
    },
    body: bytes,
  };
}

export interface PressOf {
  user: string;
  team?: string;
  block: string;
  /** The id of the option. */
  option: string;
  channel?: string;
  ts?: string;
  more?: object;
}

/** The body of a press on a button. */
export function pressBody({
  user,
  team = TEAM,
  block,
  option,
  channel = CHANNEL,
  ts = '1',
  more = {},
}: PressOf): string {
  const payload = {
    type: 'block_actions',
    user: { id: user, team_id: team },
    team: { id: team },
    trigger_id: '1.2.3',
    channel: { id: channel },
    container: { type: 'message', message_ts: ts, channel_id: channel },
    response_url: 'https://hooks.slack.com/actions/x',
    actions: [{ type: 'button', action_id: `option/${option}`, block_id: block, value: option }],
    ...more,
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}
