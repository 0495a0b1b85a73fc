/**
 * The prompt and what is said around it. The prompt comes as a file of a Secret that anyone in the project could
 * have made first under that name, so its SHA-256 must be the one that the Session's function put into the pod.
 * The words for an agent that was killed are here in full; they are part of the documentation.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Source } from './journal.ts';

/** To an agent that has its conversation back. */
export const CONTINUE =
  'Your process was ended in the middle of this turn and has been started again; nothing new is asked. Go on where you were and finish the task. Check whether your last step was done before you repeat it.';

/** To an agent that has its conversation back without this turn's prompt; the prompt follows. */
export const RESUMED =
  'Your process was ended at the beginning of this turn and has been started again. What follows is the task of this turn, resumed and not new: if you have begun on it, go on where you were.';

/** To an agent whose conversation could not be loaded; the Session's prompt follows. */
export const FORGOTTEN =
  'Your process was ended and started again, and your earlier conversation could not be loaded. You have been working on the task that follows; it is resumed, not new. See what is done already (git log, git status, git diff) before you go on.';

/** Between the Session's prompt and a later message, to an agent whose conversation could not be loaded. */
export const MESSAGE = 'That was the first task. Since then this message has come, and it is what to answer now:';

export type PromptFile = { ok: true; text: string } | { ok: false; message: string };

/** The text of the prompt file at `path`, if it is the one with this SHA-256. */
export function readPrompt(path: string, sha256: string): PromptFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return { ok: false, message: `the prompt at ${path} can't be read: ${(error as Error).message}` };
  }
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return { ok: true, text: bytes.toString('utf8') };
  const message = `the Secret with the prompt does not hold this Session's prompt, so the agent was not started: somebody else made or changed it. Delete the Secret and the Session, see the audit log for who wrote it, and make the Session again`;
  return { ok: false, message };
}

/** What is known when a prompt is handed over. */
export interface Handover {
  /** The Session's prompt. */
  task: string;
  from: Source;
  /** The prompt or message of this turn. */
  text: string;
  /** Whether this turn was handed over before, as far as the journal knows. */
  resumed: boolean;
  /** `new`: the agent knows nothing of earlier turns. */
  conversation: 'new' | 'loaded';
  /** Whether the agent's own record of the conversation holds `text`. */
  heard: boolean;
  /** Whether no turn has ended, here or in a Session that this one goes on from. */
  isFirst: boolean;
  /** What happened while the agent was away, a line each. */
  news: readonly string[];
}

/** Before what happened while the agent was away. */
const NEWS = 'Meanwhile this has happened:';

const withNews = (words: string, news: readonly string[]): string =>
  news.length ? [words, NEWS, ...news].join('\n') : words;

/** What is sent, as the text blocks of one prompt. The agent's task is always the last block. */
export function promptBlocks({ task, from, text, resumed, conversation, heard, isFirst, news }: Handover): string[] {
  if (conversation === 'loaded') {
    if (!resumed) return [text];
    return heard ? [withNews(CONTINUE, news)] : [withNews(RESUMED, news), text];
  }
  if (!resumed && isFirst) return [text];
  const forgotten = withNews(FORGOTTEN, news);
  return from === 'prompt' ? [forgotten, text] : [forgotten, task, MESSAGE, text];
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * Whether `said`, the last thing that an agent replays of its user's words, is `text`. Agents wrap and trim, and
 * something may stand before it, so its end counts.
 */
export const hasHeard = (said: string, text: string): boolean => {
  const end = squeeze(text).slice(-200);
  return end !== '' && squeeze(said).endsWith(end);
};
