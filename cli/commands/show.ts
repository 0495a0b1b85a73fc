/** `tiny show`: one Session, or one Question, whole. */

import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import { QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { decide } from '../../lib/question/decision.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { document, objectName } from '../output/document.ts';
import { terminal } from '../output/width.ts';
import { describeQuestion } from '../question/describe.ts';
import { viewOf } from '../question/view.ts';
import { describeSession } from '../session/describe.ts';
import { lastEvents } from '../session/events.ts';
import { find } from '../session/find.ts';
import { podTrouble } from '../session/pod-problem.ts';

export const define: Define = (command, app) =>
  command
    .argument('<name>', 'the name of a Session; question/NAME for a Question')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} show refactor\n  ${app.program} show question/refactor-0123456789`,
    )
    .action((name: string) =>
      /^questions?(\.tiny\.dev)?\//.test(name) ? showQuestion(app, name) : showSession(app, name),
    );

/** Prints the object for a machine where one is meant; otherwise false. */
async function printed(app: App, object: Stored<Session> | Stored<Question>): Promise<boolean> {
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') app.print(await document(object, output));
  else if (output === 'name') app.print(`${objectName(object)}\n`);
  else return false;
  return true;
}

async function showQuestion(app: App, name: string): Promise<void> {
  const { client, namespace } = await app.cluster();
  const question = await find(client, { type: QUESTIONS, namespace, name });
  if (await printed(app, question)) return;
  const view = decide(question, app.now()).state === 'open' ? await viewOf(app, question) : undefined;
  app.print(describeQuestion(question, { ...telling(app), view }));
}

const telling = (app: App) => ({ now: app.now(), style: app.style, program: app.program, ...terminal(app.io.stdout) });

/** What the person may not list is left out; the Session itself was read. */
const orNothing = async <T>(read: Promise<{ items: T[] }>): Promise<T[]> =>
  (
    await read.catch((error: unknown) => {
      if (isForbidden(error)) return { items: [] };
      throw error;
    })
  ).items;

async function showSession(app: App, given: string): Promise<void> {
  const { client, namespace } = await app.cluster();
  const session = await find(client, { type: SESSIONS, namespace, name: given });
  if (await printed(app, session)) return;
  const { name, uid } = session.metadata;
  const [questions, sessions, events, trouble] = await Promise.all([
    orNothing(client.list(QUESTIONS, { namespace })),
    orNothing(client.list(SESSIONS, { namespace })),
    lastEvents(client, { namespace, uid }),
    podTrouble(client, session, app.now()),
  ]);
  const isOpen = (question: Stored<Question>) =>
    question.spec.session === name && decide(question, app.now()).state === 'open';
  const children = sessions.filter(({ spec }) => spec.parent === name);
  app.print(describeSession({ session, events, children, trouble, questions: questions.filter(isOpen) }, telling(app)));
}
