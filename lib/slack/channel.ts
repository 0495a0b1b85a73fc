/** Slack as a channel. A message carries the Question's uid in its metadata, by which one that was not noted is found again. */
import type { Channel } from '../channel/channel.ts';
import { ChannelError } from '../channel/channel.ts';
import type { SlackApi } from './api.ts';
import { makeMessage } from './blocks.ts';
import { escaped } from './text.ts';

/** https://docs.slack.dev/messaging/message-metadata */
const EVENT_TYPE = 'tiny_question';

interface Found {
  ts?: string;
  metadata?: { event_type?: string; event_payload?: { uid?: string } };
}

/** Slack's clock and ours. Milliseconds. */
const SKEW = 60_000;

export function slackChannel(api: SlackApi): Channel {
  return {
    post: async (telling, to) => {
      const metadata = { event_type: EVENT_TYPE, event_payload: { uid: telling.uid } };
      const quiet = { unfurl_links: false, unfurl_media: false };
      const said = await api('chat.postMessage', { channel: to, ...makeMessage(telling), metadata, ...quiet });
      return String(said.ts);
    },
    update: async (telling, { to, id }) => {
      const metadata = { event_type: EVENT_TYPE, event_payload: { uid: telling.uid } };
      await api('chat.update', { channel: to, ts: id, ...makeMessage(telling), metadata }).catch(unlessDeleted);
    },
    remind: async ({ name, expiresAt = '' }, { to, id }) => {
      const text = escaped(`Question ${name} expires at ${expiresAt}, and nobody has answered.`);
      await api('chat.postMessage', { channel: to, thread_ts: id, reply_broadcast: true, text });
    },
    find: async ({ uid }, to, since) => {
      const oldest = String((since - SKEW) / 1000);
      const asked = { channel: to, oldest, limit: 200, include_all_metadata: true };
      const said = await api('conversations.history', asked).catch(unlessForbidden);
      const messages = (said?.messages ?? []) as Found[];
      return messages.find(({ metadata }) => metadata?.event_type === EVENT_TYPE && metadata.event_payload?.uid === uid)
        ?.ts;
    },
  };
}

/** A message that somebody has deleted needs no update. */
function unlessDeleted(error: unknown): void {
  if (!(error instanceof ChannelError && /message_not_found|cant_update_message/.test(error.message))) throw error;
}

/** The right to read the channel is asked for nothing else, so it may be missing; then the message is sent once more. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof ChannelError && error.reason === 'NotPermitted')) throw error;
}
