/** The window in which an Ask is answered in words. What it is about goes with it, and comes back signed by Slack. */
import * as z from 'zod/mini';
import type { SlackApi } from './api.ts';
import { idOf, type Shown, shownBy } from './blocks.ts';

export interface Place {
  channel: string;
  ts: string;
}

/** The longest answer that Slack's field takes; a Question takes more, by `tiny answer`. */
const MOST = 3000;

const input = {
  type: 'input',
  block_id: 'answer',
  label: { type: 'plain_text', text: 'Your answer' },
  element: { type: 'plain_text_input', action_id: 'text', multiline: true, min_length: 1, max_length: MOST },
};

/** Opens it; Slack gives 3 s from the press on. Throws `ChannelError`. */
export async function askForWords(
  { channel, ts, trigger }: Place & { trigger: string },
  shown: Shown,
  api: SlackApi,
): Promise<undefined> {
  const view = {
    type: 'modal',
    title: { type: 'plain_text', text: 'Answer in words' },
    submit: { type: 'plain_text', text: 'Answer' },
    close: { type: 'plain_text', text: 'Cancel' },
    private_metadata: JSON.stringify({ channel, ts, shown: idOf(shown) }),
    blocks: [input],
  };
  await api('views.open', { trigger_id: trigger, view });
}

const context = z.object({ channel: z.string(), ts: z.string(), shown: z.string() });

/** What a window that comes back is about; `undefined` where it is none of ours. */
export function pressedIn(privateMetadata: string): (Place & { shown: Shown }) | undefined {
  try {
    const { channel, ts, shown: id } = z.parse(context, JSON.parse(privateMetadata));
    const shown = shownBy(id);
    return shown && { channel, ts, shown };
  } catch {
    return undefined;
  }
}
