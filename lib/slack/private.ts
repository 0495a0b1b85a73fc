/**
 * Says something to one person alone. Never to a URL that came with a request, though Slack sends one: what is told to
 * call somewhere else can be told to call anywhere. What is said goes through the Web API, to whom Slack has signed for.
 */
import { ChannelError } from '../channel/channel.ts';
import type { SlackApi } from './api.ts';
import type { User } from './request.ts';
import { escaped } from './text.ts';

type To = User & { channel: string };

/** Words as they are. Throws `ChannelError`. */
export const tellPrivately = (api: SlackApi, to: To, words: string): Promise<void> =>
  sendPrivately(api, to, escaped(words.slice(0, 2500)));

/** What is mrkdwn already. Throws `ChannelError`. */
export async function sendPrivately(api: SlackApi, { channel, user }: To, text: string): Promise<void> {
  try {
    await api('chat.postEphemeral', { channel, user, text });
  } catch (error) {
    // Where the app is no member of the channel it still has a line to the person.
    if (!(error instanceof ChannelError) || error.passes) throw error;
    await api('chat.postMessage', { channel: user, text });
  }
}
