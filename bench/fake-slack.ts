/**
 * A fake Slack, for tests and measurements: the few methods of its Web API that are called, what they answer and how they
 * fail. Its messages are what people would see.
 */
import { createServer, type Server } from 'node:http';
import type { Incoming, Outgoing } from '../lib/channel/post.ts';
import { listen } from '../local/functions/port.ts';

export interface SlackMessage {
  channel: string;
  ts: string;
  text: string;
  blocks: { block_id?: string; type: string; elements?: { action_id?: string; value?: string }[] }[];
  metadata?: unknown;
  /** How often it was changed. */
  updates: number;
}

type Fields = Record<string, string>;
type Answer = Incoming & { headers?: Record<string, string> };

const ok = (more: object = {}): Answer => ({ status: 200, text: JSON.stringify({ ok: true, ...more }) });
export const slackError = (error: string): Answer => ({ status: 200, text: JSON.stringify({ ok: false, error }) });

export class FakeSlack {
  readonly messages: SlackMessage[] = [];
  /** What was said to one person alone. */
  readonly whispers: { user: string; channel: string; text: string }[] = [];
  readonly views: { trigger: string; view: Record<string, unknown> }[] = [];
  readonly calls: string[] = [];
  readonly users = new Map<string, object>();
  /** An answer instead of Slack's own; a throw is no answer. */
  fault: (method: string, fields: Fields) => Answer | undefined = () => undefined;
  #ts = 0;

  /** A call of its Web API. */
  readonly post = async ({ url, body }: Pick<Outgoing, 'url' | 'body'>): Promise<Incoming> => {
    const method = url.split('/').at(-1) ?? '';
    const fields = Object.fromEntries(new URLSearchParams(body));
    this.calls.push(method);
    return this.fault(method, fields) ?? this.#answer(method, fields);
  };

  #answer(method: string, fields: Fields): Answer {
    const methods: Record<string, (fields: Fields) => Answer> = {
      'chat.postMessage': (one) => this.#postMessage(one),
      'chat.update': (one) => this.#update(one),
      'chat.postEphemeral': ({ user = '', channel = '', text = '' }) => {
        this.whispers.push({ user, channel, text });
        return ok();
      },
      'users.info': ({ user = '' }) =>
        this.users.has(user) ? ok({ user: this.users.get(user) }) : slackError('user_not_found'),
      'views.open': ({ trigger_id = '', view = '{}' }) => {
        this.views.push({ trigger: trigger_id, view: JSON.parse(view) });
        return ok();
      },
      'conversations.history': ({ channel }) =>
        ok({ messages: this.messages.filter((one) => one.channel === channel) }),
    };
    return methods[method]?.(fields) ?? slackError('unknown_method');
  }

  #postMessage({ channel = '', text = '', blocks = '[]', metadata }: Fields): Answer {
    const ts = `1790000000.${String(++this.#ts).padStart(6, '0')}`;
    const known = metadata === undefined ? {} : { metadata: JSON.parse(metadata) };
    this.messages.push({ channel, ts, text, blocks: JSON.parse(blocks), updates: 0, ...known });
    return ok({ channel, ts });
  }

  #update({ channel, ts, text = '', blocks = '[]' }: Fields): Answer {
    const message = this.messages.find((one) => one.channel === channel && one.ts === ts);
    if (!message) return slackError('message_not_found');
    Object.assign(message, { text, blocks: JSON.parse(blocks), updates: message.updates + 1 });
    return ok({ channel, ts });
  }

  /** Serves its Web API on loopback; gives the URL for `TINY_SLACK_API`. */
  async listen(): Promise<{ url: string; server: Server }> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { status, text, retryAfterSeconds } = await this.post({
        url: request.url ?? '',
        body: Buffer.concat(chunks).toString(),
      });
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
    return { url: `http://127.0.0.1:${await listen(server)}/api/`, server };
  }
}
