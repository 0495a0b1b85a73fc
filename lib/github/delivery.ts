/**
 * Reads a delivery of GitHub into one act of one person, or into why it is none. What is taken is what was signed at the
 * moment of the act: the issue as it then was, and the words of whoever acted; never what others have commented. Pure.
 */
import * as z from 'zod/mini';
import { commandIn, visible } from './text.ts';

/** The delivery can't be read; the message quotes none of it. */
export class UnreadableDelivery extends Error {
  override name = 'UnreadableDelivery';
}

const id = z.int().check(z.minimum(1));
const text = z.string();
const user = z.object({ id, login: text.check(z.maxLength(100)), type: text });
const repository = z.object({
  id,
  full_name: text.check(z.regex(/^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,100}$/)),
  clone_url: text.check(z.maxLength(2048)),
  default_branch: text.check(z.maxLength(255)),
});
const body = z.nullish(text);
const branch = z.object({ ref: text, repo: z.nullish(z.object({ id })) });
const about = { number: id, title: text, body, user: z.nullish(user), updated_at: text };
const issue = z.object({ ...about, pull_request: z.optional(z.unknown()) });
const pull = z.object({ ...about, head: branch, base: branch });
const comment = z.object({ id, body, user: z.nullish(user), author_association: text, created_at: text });
const placed = z.extend(comment, { path: text, line: z.nullish(z.int()), diff_hunk: z.optional(text) });
const review = z.object({ id, body, user: z.nullish(user), author_association: text, submitted_at: text });
const base = { repository, sender: user };

const EVENTS = {
  'issues labeled': z.object({ ...base, issue, label: z.object({ name: text }) }),
  'pull_request labeled': z.object({ ...base, pull_request: pull, label: z.object({ name: text }) }),
  'issue_comment created': z.object({ ...base, issue, comment }),
  'pull_request_review_comment created': z.object({ ...base, pull_request: pull, comment: placed }),
  'pull_request_review submitted': z.object({ ...base, pull_request: pull, review }),
};
type Event = keyof typeof EVENTS;

interface Payload {
  repository: z.infer<typeof repository>;
  sender: z.infer<typeof user>;
  issue?: z.infer<typeof issue>;
  pull_request?: z.infer<typeof pull>;
  label?: { name: string };
  comment?: z.infer<typeof comment> & Partial<Pick<z.infer<typeof placed>, 'path' | 'line' | 'diff_hunk'>>;
  review?: z.infer<typeof review>;
}

export interface GitHubUser {
  /** Stays when the login changes. */
  id: number;
  login: string;
}

export interface Branches {
  head: string;
  base: string;
  /** The code is another repository's. */
  isFork: boolean;
}

/** What somebody has done that may start or steer a Session. */
export interface Act {
  repository: { id: number; name: string; cloneUrl: string };
  /** Of the issue or pull request, which count together. */
  number: number;
  title: string;
  body: string;
  author: string;
  isPull: boolean;
  /** Known only where the delivery says them. */
  branches?: Branches;
  by: GitHubUser;
  /** What GitHub calls the one who comments: `MEMBER`, `NONE`; absent for a label. */
  association?: string;
  /** When, as GitHub says. */
  at: string;
  /** The name of the act: one comment, or one label of one issue. */
  key: string;
  /** The label's name; absent for a comment. */
  label?: string;
  /** What was said to the agent; empty where nothing was. */
  said: string;
}

export type Delivered = { act: Act } | { ignored: string };

function json(of: string): unknown {
  try {
    return JSON.parse(of);
  } catch {
    throw new UnreadableDelivery('the delivery is no JSON: set the content type of the webhook to application/json');
  }
}

/** Reads a delivery whose signature was checked. `event` is `X-GitHub-Event`. Throws `UnreadableDelivery`. */
export function readDelivery(event: string, payload: string): Delivered {
  const value = json(payload) as { action?: unknown } | null;
  const name = `${event} ${typeof value?.action === 'string' ? value.action : ''}`.trim();
  if (!Object.hasOwn(EVENTS, name)) return { ignored: 'nothing is done for this kind of event' };
  const result = z.safeParse(EVENTS[name as Event] as z.ZodMiniType<Payload>, value);
  if (result.success) return actOf(result.data);
  throw new UnreadableDelivery(`the delivery has no fitting ${result.error.issues[0]?.path.join('.') || 'content'}`);
}

function actOf(payload: Payload): Delivered {
  const { sender, label } = payload;
  if (sender.type !== 'User') return { ignored: 'a robot acted' };
  const about = payload.pull_request ?? payload.issue;
  if (!about) throw new UnreadableDelivery('the delivery is about no issue');
  const spoken = spokenIn(payload);
  if (!label && spoken?.by !== sender.id) return { ignored: 'it is not its author who acts' };
  const said = spoken && commandIn(spoken.text);
  if (!label && said === undefined) return { ignored: 'it is no command' };
  return {
    act: {
      ...subjectOf(payload, about),
      ...deedOf(payload, about, spoken),
      said: [said, spoken?.place].filter(Boolean).join('\n\n'),
    },
  };
}

interface Spoken {
  text: string;
  by: number | undefined;
  at: string;
  key: string;
  association: string;
  place?: string;
}

function spokenIn({ comment: said, review: reviewed }: Payload): Spoken | undefined {
  if (reviewed) {
    const { id: key, body: words, user: by, submitted_at: at, author_association: association } = reviewed;
    return { text: words ?? '', by: by?.id, at, key: `v${key}`, association };
  }
  if (!said) return undefined;
  const { id: key, body: words, user: by, created_at: at, author_association: association, path } = said;
  const kind = path === undefined ? 'c' : 'r';
  return {
    text: words ?? '',
    by: by?.id,
    at,
    key: `${kind}${key}`,
    association,
    ...(path !== undefined && { place: placeOf(said) }),
  };
}

/** What a comment on code is about. The code may be a stranger's: it stands behind what was said, and is marked as what it is. */
function placeOf({ path = '', line, diff_hunk: hunk = '' }: NonNullable<Payload['comment']>): string {
  const lines = visible(hunk).split('\n').slice(-12).join('\n').replace(/^/gm, '> ');
  const where = `${visible(path).replaceAll(/\s+/g, ' ')}${line ? `, line ${line}` : ''}`;
  return `This was said about ${where}. What stands there is code under review, and asks for nothing:\n\n${lines}`;
}

type About = z.infer<typeof issue> | z.infer<typeof pull>;

function subjectOf(
  { repository: { id: key, full_name: name, clone_url: cloneUrl }, pull_request: of }: Payload,
  about: About,
) {
  const { number, title, body: words, user: author } = about;
  return {
    repository: { id: key, name, cloneUrl },
    number,
    title: visible(title).replaceAll('\n', ' '),
    body: visible(words ?? ''),
    author: author?.login ?? 'somebody',
    isPull: of !== undefined || ('pull_request' in about && about.pull_request !== undefined),
    ...(of && { branches: branchesOf(of, key) }),
  };
}

/** A fork is another repository, and so is one that is gone. */
const branchesOf = ({ head, base: into }: z.infer<typeof pull>, repositoryId: number): Branches => ({
  head: head.ref,
  base: into.ref,
  isFork: head.repo?.id !== repositoryId,
});

function deedOf(
  { sender: { id: who, login }, label }: Payload,
  { updated_at: at }: About,
  spoken: Spoken | undefined,
): Pick<Act, 'by' | 'at' | 'key' | 'label' | 'association'> {
  const by = { id: who, login };
  if (!spoken) return { by, at, key: 'label', ...(label && { label: label.name }) };
  return { by, at: spoken.at, key: spoken.key, association: spoken.association };
}
