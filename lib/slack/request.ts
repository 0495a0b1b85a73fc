/**
 * What Slack has sent, read out of the body of a request that has been verified: a press, words typed into a window, a
 * command, or the question whether this is the URL. Anything else is unreadable, and quoted nowhere. Pure.
 */
import * as z from 'zod/mini';
import { unescaped } from './text.ts';

/** The body can't be read; the message says why. */
export class UnreadableRequest extends Error {
  override name = 'UnreadableRequest';
}

/** More than Slack sends; a payload holds the message that was pressed. Bytes. */
export const MAX_BYTES = 512 * 1024;

const id = z.string().check(z.regex(/^[A-Z][A-Z0-9]{1,31}$/));
const short = z.string().check(z.maxLength(256));
const user = z.object({ id, team_id: z.optional(id) });

const press = z.object({
  type: z.literal('block_actions'),
  user,
  team: z.nullish(z.object({ id })),
  trigger_id: z.optional(short),
  channel: z.optional(z.object({ id })),
  container: z.optional(z.object({ message_ts: z.optional(short) })),
  actions: z.array(
    z.object({ action_id: short, block_id: short, value: z.optional(z.string().check(z.maxLength(2000))) }),
  ),
});

const submission = z.object({
  type: z.literal('view_submission'),
  user,
  team: z.nullish(z.object({ id })),
  view: z.object({
    private_metadata: z.string().check(z.maxLength(3000)),
    state: z.object({
      values: z.record(z.string(), z.record(z.string(), z.object({ value: z.nullish(z.string()) }))),
    }),
  }),
});

const command = z.object({
  command: short,
  text: z.string(),
  team_id: id,
  channel_id: id,
  user_id: id,
  trigger_id: short,
});

/** Who, as Slack has signed it. */
export interface User {
  team: string;
  user: string;
}

export type Slacked =
  | { kind: 'challenge'; challenge: string }
  /** Slack looks whether the certificate is right. */
  | { kind: 'ping' }
  | {
      kind: 'press';
      by: User;
      channel: string;
      ts: string;
      trigger: string;
      block: string;
      action: string;
      value: string;
    }
  | { kind: 'words'; by: User; context: string; text: string }
  | { kind: 'command'; by: User; channel: string; text: string; trigger: string }
  /** Nothing that is waited for: a window closed, a kind of payload that was never asked for. */
  | { kind: 'other' };

/** Reads the body. Throws `UnreadableRequest`. */
export function readSlack(contentType: string | undefined, body: Buffer): Slacked {
  const [type] = (contentType ?? '').split(';');
  const text = utf8(body);
  if (type?.trim().toLowerCase() === 'application/json') return challengeOf(text);
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') throw new UnreadableRequest('it is no form');
  return formOf(new URLSearchParams(text));
}

function utf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new UnreadableRequest('it is no UTF-8');
  }
}

function challengeOf(text: string): Slacked {
  const asked = z.object({ type: z.literal('url_verification'), challenge: z.string().check(z.maxLength(1024)) });
  return { kind: 'challenge', challenge: parse(asked, json(text)).challenge };
}

/** A field that comes twice could be read in two ways. */
function formOf(form: URLSearchParams): Slacked {
  const keys = [...form.keys()];
  if (new Set(keys).size !== keys.length) throw new UnreadableRequest('a field comes twice');
  if (form.has('ssl_check')) return { kind: 'ping' };
  const payload = form.get('payload');
  return payload === null ? commandOf(Object.fromEntries(form)) : payloadOf(json(payload));
}

function commandOf(fields: object): Slacked {
  const { text, team_id: team, user_id: user, channel_id: channel, trigger_id: trigger } = parse(command, fields);
  return { kind: 'command', by: { team, user }, channel, text: unescaped(text).trim(), trigger };
}

function payloadOf(payload: unknown): Slacked {
  const { type } = parse(z.object({ type: short }), payload);
  if (type === 'block_actions') return pressOf(parse(press, payload));
  if (type === 'view_submission') return wordsOf(parse(submission, payload));
  return { kind: 'other' };
}

/** Of a shared channel, the team is that of whoever has pressed, and not of the channel. */
function by({ user: { id, team_id }, team }: Pick<z.infer<typeof press>, 'user' | 'team'>): User {
  const of = team_id ?? team?.id;
  if (of === undefined) throw new UnreadableRequest('it does not say of which workspace the user is');
  return { team: of, user: id };
}

function pressOf(pressed: z.infer<typeof press>): Slacked {
  const [action, ...more] = pressed.actions;
  const ts = pressed.container?.message_ts;
  if (!action || more.length || !pressed.channel || !ts) return { kind: 'other' };
  const { action_id, block_id, value = '' } = action;
  const where = { channel: pressed.channel.id, ts, trigger: pressed.trigger_id ?? '' };
  return { kind: 'press', by: by(pressed), ...where, block: block_id, action: action_id, value };
}

function wordsOf(submitted: z.infer<typeof submission>): Slacked {
  const inputs = Object.values(submitted.view.state.values).flatMap((block) => Object.values(block));
  // What is typed into a window comes as it was typed: only text of messages and commands is escaped.
  const text = inputs.map(({ value }) => value ?? '').join('\n');
  return { kind: 'words', by: by(submitted), context: submitted.view.private_metadata, text };
}

function parse<T extends z.core.$ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  throw new UnreadableRequest(`it has no fitting ${result.error.issues[0]?.path.join('.') || 'payload'}`);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableRequest('it is no JSON');
  }
}
