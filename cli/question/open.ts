/** The open Questions of a Session, with the commands that answer them. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import { decide } from '../../lib/question/decision.ts';
import type { App } from '../app.ts';
import { terminal } from '../output/width.ts';
import { describeQuestion } from './describe.ts';

/** Those that wait for an answer; none where the person may not list them. */
export async function openQuestions(app: App, { metadata }: Stored<Session>): Promise<Stored<Question>[]> {
  const { client, namespace } = await app.cluster();
  const { items } = await client.list(QUESTIONS, { namespace }).catch((error: unknown) => {
    if (isForbidden(error)) return { items: [] };
    throw error;
  });
  return items.filter(
    (question) => question.spec.session === metadata.name && decide(question, app.now()).state === 'open',
  );
}

/** Tells one on stderr, whole. */
export function printQuestion(app: App, question: Stored<Question>): void {
  const { style, program } = app;
  const telling = { now: app.now(), style, program, ...terminal(app.io.stderr) };
  app.note(describeQuestion(question, telling).trimEnd());
}

/** Tells them on stderr. */
export async function printOpenQuestions(app: App, session: Stored<Session>): Promise<void> {
  for (const question of await openQuestions(app, session)) printQuestion(app, question);
}
