/**
 * Whether Slack has sent a request, and just now: HMAC-SHA256 over `v0:SECONDS:BODY`, the body byte for byte as it came
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack). Checked before anything of it is read. Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the request's time may be from ours, either way. Seconds. */
export const WINDOW_SECONDS = 300;

export interface Signed {
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/** `secrets`: more than one while a secret is being changed. `now` in milliseconds since 1970. */
export function isFromSlack({ headers, body }: Signed, secrets: readonly string[], now: number): boolean {
  const time = headers['x-slack-request-timestamp'] ?? '';
  const [, hex] = /^v0=([0-9a-f]{64})$/.exec(headers['x-slack-signature'] ?? '') ?? [];
  if (!hex || !isNow(time, now)) return false;
  const given = Buffer.from(hex, 'hex');
  return secrets.map((secret) => isSignedWith(secret, { time, body, given })).includes(true);
}

/** Digits alone: what `Number` would take besides is another text under the same signature. */
const isNow = (time: string, now: number): boolean =>
  /^[0-9]{1,12}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= WINDOW_SECONDS;

function isSignedWith(secret: string, { time, body, given }: { time: string; body: Buffer; given: Buffer }): boolean {
  if (!secret) return false;
  const expected = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest();
  return timingSafeEqual(given, expected);
}
