/**
 * The few calls of Slack's Web API that are made, without its client library: that costs a cold start more than all of
 * this function, and what it does besides (retries that wait, queues) is not wanted where a Question's status says when
 * to try again. Methods: https://docs.slack.dev/reference/methods.
 */
import { ChannelError } from '../channel/channel.ts';
import type { Incoming, Post } from '../channel/post.ts';

export interface SlackApiOptions {
  post: Post;
  /** `https://slack.com/api/`, or where a fake Slack is. */
  url: string;
  /** The bot's token; empty where there is none. */
  token: () => string;
}

/** Slack's answer, as far as it is read. */
export type Said = { ok: true } & Record<string, unknown>;

/** Calls a method. Throws `ChannelError`, whose message has Slack's own word for it. */
export type SlackApi = (method: string, body: object) => Promise<Said>;

/** Slack is faster, or it is down. Milliseconds. */
const TIMEOUT_MS = 5_000;

/** Slack's words for what passes by itself. */
const PASSES = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);

/** What to do about Slack's words for what does not. */
const ADVICE: [RegExp, reason: string, advice: string][] = [
  [
    /^(channel_not_found|is_archived|not_in_channel|channel_is_archived)$/,
    'ChannelGone',
    'name another channel in the settings (channels.slack), or invite the app to it',
  ],
  [
    /^(invalid_auth|not_authed|account_inactive|token_revoked|token_expired|org_login_required|ekm_access_denied)$/,
    'TokenRefused',
    'install the Slack app anew, and put its token into Secret tiny-channels',
  ],
  [/^(missing_scope|no_permission|restricted_action.*|access_denied)$/, 'NotPermitted', 'docs/slack.md has the scopes'],
];

const FORM = 'application/x-www-form-urlencoded; charset=utf-8';

/** What all methods take; some take no JSON. Objects go as JSON in their field. */
const form = (body: object): string =>
  new URLSearchParams(
    Object.entries(body).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

export function slackApi({ post, url, token }: SlackApiOptions): SlackApi {
  return async (method, body) => {
    const bearer = token();
    if (!bearer) {
      const message = 'there is no bot-token in Secret tiny-channels of tiny-system';
      throw new ChannelError('NotConfigured', message, { passes: false });
    }
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': FORM };
    const sending = post({ url: url + method, headers, body: form(body), timeoutMs: TIMEOUT_MS });
    return saidOf(await sending.catch(unreachable));
  };
}

function unreachable(): never {
  throw new ChannelError('Unavailable', 'Slack can not be reached', { passes: true });
}

function saidOf({ status, text, retryAfterSeconds }: Incoming): Said {
  if (status === 429) throw new ChannelError('RateLimited', 'Slack asks to wait', { passes: true, retryAfterSeconds });
  if (status >= 500) throw new ChannelError('Unavailable', `Slack answered ${status}`, { passes: true });
  const said = parsed(text);
  if (said?.ok === true) return said as Said;
  throw refused(typeof said?.error === 'string' ? said.error : `an answer ${status} that is not Slack's`);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function refused(word: string): ChannelError {
  if (PASSES.has(word)) return new ChannelError('Unavailable', `Slack says ${word}`, { passes: true });
  const [, reason, advice] = ADVICE.find(([pattern]) => pattern.test(word)) ?? [];
  const message = `Slack says ${word.slice(0, 80)}${advice ? `: ${advice}` : ''}`;
  return new ChannelError(reason ?? 'Refused', message, { passes: false });
}
