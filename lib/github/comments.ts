/**
 * One comment for one thing, edited in place. It is known by a mark that only who knows the webhook's secret can make, and
 * the first that carries it counts: a copy of it in somebody's comment comes later.
 */
import { createHmac } from 'node:crypto';
import type { GitHub } from './api.ts';

export interface Comment {
  id: number;
  body?: string;
  html_url: string;
}

export interface Thread {
  /** `OWNER/REPO`. */
  repository: string;
  number: number;
}

const PAGE = 100;
/** Pages that are looked through for a comment that an earlier run did not live to note. */
const MAX_PAGES = 10;

/** The first line of a comment about `what`. */
export const markOf = (secret: string, what: string): string =>
  `<!-- tiny ${createHmac('sha256', secret).update(`comment\n${what}`).digest('hex')} -->`;

async function find(github: GitHub, { repository, number }: Thread, mark: string): Promise<Comment | undefined> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `/repos/${repository}/issues/${number}/comments?per_page=${PAGE}&page=${page}`;
    const comments = await github<Comment[]>('GET', path);
    const found = comments.find(({ body }) => body?.startsWith(mark));
    if (found || comments.length < PAGE) return found;
  }
  return undefined;
}

/** Brings a comment of a known id up to date. */
export const update = (
  github: GitHub,
  { repository }: Thread,
  { id, body }: { id: number; body: string },
): Promise<Comment> => github<Comment>('PATCH', `/repos/${repository}/issues/comments/${id}`, { body });

/** Writes the comment, or brings the one that is there up to date. `body` without its mark. */
export async function write(
  github: GitHub,
  thread: Thread,
  { mark, body }: { mark: string; body: string },
): Promise<Comment> {
  const whole = `${mark}\n${body}`;
  const found = await find(github, thread, mark);
  if (!found)
    return await github<Comment>('POST', `/repos/${thread.repository}/issues/${thread.number}/comments`, {
      body: whole,
    });
  return found.body === whole ? found : await update(github, thread, { id: found.id, body: whole });
}
