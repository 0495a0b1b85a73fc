/**
 * A channel for everything else: each telling is POSTed as JSON to the URL of the settings, signed so that the receiver
 * knows who speaks and when. A receiver tells old news from new by `uid` and `state`. Format: docs/channels.md.
 */
import { createHmac } from 'node:crypto';
import { type Channel, ChannelError } from './channel.ts';
import { type Post, PostRefused } from './post.ts';
import type { Telling } from './telling.ts';

export interface WebhookOptions {
  post: Post;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The secret shared with receivers; empty where there is none. */
  secret: () => string;
  /** Whether a receiver may be in the cluster or beside it: whoever sets a project's settings then reaches what functions reach. */
  anywhere: boolean;
}

const TIMEOUT_MS = 5_000;

/** As `t=SECONDS,v1=HEX`: HMAC-SHA256 over `SECONDS.BODY`. */
export function signed(secret: string, seconds: number, body: string): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

export function webhookChannel({ post, now, secret, anywhere }: WebhookOptions): Channel {
  const tell = async (telling: Telling, url: string): Promise<undefined> => {
    const key = secret();
    if (!key) throw notConfigured();
    const body = JSON.stringify(telling);
    const headers = {
      'content-type': 'application/json',
      'tiny-signature': signed(key, Math.floor(now() / 1000), body),
      'tiny-delivery': `${telling.uid}/${telling.state}`,
    };
    const sending = Promise.resolve().then(() =>
      post({ url, headers, body, timeoutMs: TIMEOUT_MS, publicOnly: !anywhere }),
    );
    const { status, retryAfterSeconds } = await sending.catch(unreachable);
    if (status >= 200 && status < 300) return;
    const passes = status === 429 || status >= 500;
    throw new ChannelError(passes ? 'Unavailable' : 'Refused', `the receiver answered ${status}`, {
      passes,
      retryAfterSeconds,
    });
  };
  return { post: tell, update: (telling, { to }) => tell(telling, to) };
}

const notConfigured = () =>
  new ChannelError('NotConfigured', 'there is no webhook-secret in Secret tiny-channels of tiny-system', {
    passes: false,
  });

function unreachable(error: unknown): never {
  if (error instanceof PostRefused || error instanceof TypeError)
    throw new ChannelError('Refused', `the URL of the settings can't be used: ${error.message}`, { passes: false });
  throw new ChannelError('Unavailable', "the receiver can't be reached", { passes: true });
}
