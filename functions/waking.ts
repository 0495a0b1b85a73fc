/**
 * Wakes function `slack` when a Question is posted: whoever reads it presses in the next minutes, and finds it up. It is a
 * hint; nothing waits for it, and nothing is wrong where it fails.
 */
import { request } from 'node:http';
import type { Channel } from '../lib/channel/channel.ts';

/** A start from zero takes up to 2 s. Milliseconds. */
const TIMEOUT_MS = 10_000;

function wake(url: string): void {
  request(url, { signal: AbortSignal.timeout(TIMEOUT_MS), agent: false }, (answer) => answer.resume())
    .once('error', () => undefined)
    .end();
}

/** As `channel`; wakes what is at `url` when something is posted. */
export const waking = (channel: Channel, url: string | undefined): Channel =>
  url === undefined
    ? channel
    : {
        ...channel,
        post: (telling, to) => {
          wake(url);
          return channel.post(telling, to);
        },
      };
