/**
 * Brings a Session's comment on its issue up to date, and notes on the Session where it is: condition `Replied`, which also
 * says why nobody could be told. Where it belongs the Session says itself, so it is written only to repositories of the
 * Session's own project.
 */
import { createHash } from 'node:crypto';
import { alreadySays, findCondition, transition } from '../api/conditions.ts';
import type { KubeObject, Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';
import type { Projects } from '../intake/projects.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { type Client, QUESTIONS, type Ref, SESSIONS } from '../kube/types.ts';
import { decide } from '../question/decision.ts';
import { type GitHub, GitHubError } from './api.ts';
import { markOf, type Thread, update, write } from './comments.ts';
import { projectOfRepository } from './project.ts';
import { type Reply, replyOf } from './reply.ts';
import { ISSUE } from './start.ts';
import type { Told } from './told.ts';

export interface TellOptions {
  /** The function's own. */
  client: Client;
  github: GitHub;
  projects: () => Projects;
  /** Makes the comments' marks. */
  secret: () => string;
  now: () => Date;
  told: Told;
}

const REPLIED = 'Replied';

/** The issue that a Session belongs to, where its project works for that repository. */
function threadOf({ metadata }: Stored<Session>, projects: Projects): Thread | undefined {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,9})$/.exec(metadata.annotations?.[ISSUE] ?? '') ?? [];
  if (!repository || projectOfRepository(projects, repository)?.namespace !== metadata.namespace) return undefined;
  return { repository, number: Number(number) };
}

/** Tells about the Session `ref`, where it belongs to an issue. Throws what passes by itself, once that is noted. */
export async function tellSession(ref: Ref, options: TellOptions): Promise<void> {
  const session = await options.client.get(SESSIONS, ref);
  if (!session || session.metadata.deletionTimestamp) return;
  const thread = threadOf(session, options.projects());
  if (thread) await toldOrNoted(session, thread, options);
}

async function toldOrNoted(session: Stored<Session>, thread: Thread, options: TellOptions): Promise<void> {
  const questions = await openQuestions(options, session);
  const state = stateOf([session, ...questions]);
  const { uid } = session.metadata;
  if (options.told.knows(uid, state)) return;
  try {
    const said = await tell({ session, questions }, thread, options);
    if (said) await note(session, said, options);
    options.told.note(uid, state);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    await note(session, { status: 'False', reason: error.reason, message: kept(session, error.message) }, options);
    if (error.passes) throw error;
  }
}

const stateOf = (objects: readonly Stored<KubeObject>[]): string =>
  objects.map(({ metadata: { uid, resourceVersion } }) => `${uid}/${resourceVersion}`).join(' ');

interface Note {
  status: 'True' | 'False';
  reason: string;
  message: string;
}

const URL_IN = /https?:\/\/\S+#issuecomment-(\d+)/;

/** The comment's address stays known while it can't be written to. */
function kept(session: Stored<Session>, message: string): string {
  const [url] = URL_IN.exec(findCondition(session, REPLIED)?.message ?? '') ?? [];
  return url ? `${message}; the comment is ${url}` : message;
}

async function openQuestions({ client, now }: TellOptions, { metadata }: Stored<Session>): Promise<Stored<Question>[]> {
  const { namespace = '', name, uid } = metadata;
  const { items } = await client.list<Question>(QUESTIONS, { namespace, labelSelector: `tiny.dev/session=${name}` });
  return items.filter(
    (one) => one.metadata.ownerReferences?.some((owner) => owner.uid === uid) && decide(one, now()).state === 'open',
  );
}

/** What is to be noted; `undefined` where the comment shows it all already. */
async function tell(
  { session, questions }: Omit<Reply, 'isPrivate'>,
  thread: Thread,
  options: TellOptions,
): Promise<Note | undefined> {
  const { github } = options;
  const before = findCondition(session, REPLIED);
  if (before?.reason === 'CommentDeleted') return undefined;
  const { private: isPrivate = false } = await github<{ private?: boolean }>('GET', `/repos/${thread.repository}`);
  const body = replyOf({ session, questions, isPrivate });
  const shows = createHash('sha256').update(body).digest('hex').slice(0, 16);
  if (before?.status === 'True' && before.message.endsWith(shows)) return undefined;
  const [, known] = URL_IN.exec(before?.message ?? '') ?? [];
  const mark = markOf(options.secret(), `session\n${session.metadata.uid}`);
  const url = known
    ? await updated(github, thread, { id: Number(known), body: `${mark}\n${body}` })
    : (await write(github, thread, { mark, body })).html_url;
  if (!url)
    return {
      status: 'False',
      reason: 'CommentDeleted',
      message: 'somebody has deleted the comment on the issue; it is not written again',
    };
  return { status: 'True', reason: REPLIED, message: `${url} shows ${shows}` };
}

/** `undefined` where somebody has deleted it: that is respected. */
async function updated(
  github: GitHub,
  thread: Thread,
  comment: { id: number; body: string },
): Promise<string | undefined> {
  try {
    return (await update(github, thread, comment)).html_url;
  } catch (error) {
    if (error instanceof GitHubError && error.reason === 'NotFound') return undefined;
    throw error;
  }
}

/** One condition of one's own: others' stay as they are. A Session that is gone, or was made anew, hears of nothing. */
async function note(
  { apiVersion, kind, metadata, status }: Stored<Session>,
  telling: Note,
  { client, now }: TellOptions,
): Promise<void> {
  const condition = transition({ status } as Session, { type: REPLIED, ...telling }, now());
  if (alreadySays({ status } as Session, condition)) return;
  const { name, namespace = '', uid } = metadata;
  try {
    await client.applyStatus(SESSIONS, {
      apiVersion,
      kind,
      metadata: { name, namespace, uid },
      status: { conditions: [condition] },
    });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
