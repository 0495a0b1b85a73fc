/**
 * Answering: refused here where it can be told early, else one write under the condition that the Question is still
 * the one that was read. Of two people who answer in the same moment one wins, and the other is told who.
 */

import { age } from '../../lib/age.ts';
import { findCondition, toTimestamp } from '../../lib/api/conditions.ts';
import { ANNOTATION, LABEL, type Stored } from '../../lib/api/meta.ts';
import type { Answer, Question } from '../../lib/api/question.ts';
import { isConflict, isForbidden, isInvalid } from '../../lib/kube/errors.ts';
import { QUESTIONS, type Ref, SESSIONS } from '../../lib/kube/types.ts';
import { withdrawnOf } from '../../lib/question/answering.ts';
import { decide, WITHDRAWN } from '../../lib/question/decision.ts';
import type { App } from '../app.ts';
import { settleQuestion } from '../direct.ts';
import { Failure } from '../failure.ts';
import { whoAmI } from '../identity.ts';
import { document, objectName } from '../output/document.ts';
import { safeLine, safeText } from '../output/safe.ts';
import { find, refuseAnother } from '../session/find.ts';
import { type Choice, isAct, told } from './choice.ts';
import { confirm } from './confirm.ts';
import { type View, viewOf } from './view.ts';

const ATTEMPTS = 5;

/** Why `question` can't be answered any more. */
function closed(question: Stored<Question>, now: Date): Failure | undefined {
  const { name } = question.metadata;
  const { answer, expiresAt } = question.spec;
  const acted = findCondition(question, 'Acted');
  if (acted?.reason === WITHDRAWN)
    return new Failure(`Question "${name}" was ${acted.message}`, 'Nobody waits for an answer any more.');
  if (answer) {
    const when = answer.at ? ` ${age(answer.at, now)} ago` : '';
    const by = safeLine(answer.by?.username ?? 'somebody');
    return new Failure(`Question "${name}" was answered by ${by}${when}: ${told(answer)}`, 'An answer stays.');
  }
  if (decide(question, now).state !== 'expired') return undefined;
  return new Failure(
    `Question "${name}" expired at ${expiresAt}, and nothing was done`,
    'The agent is told, and may ask again.',
  );
}

/** The same before a condition says so: an answer to a Session that has ended would still make what it asked for. */
async function withdrawn(app: App, question: Stored<Question>): Promise<Failure | undefined> {
  const { client } = await app.cluster();
  const why = await withdrawnOf(question, client);
  if (why === undefined) return undefined;
  const { name } = question.metadata;
  return new Failure(`nothing was answered to Question "${name}": ${why}`, 'Nobody waits for an answer any more.');
}

/** Whether the answer that stands is the one that this run has written, though the server's yes was lost. */
const isOurs = (stands: Answer | undefined, ours: Answer): boolean =>
  stands !== undefined &&
  stands.at === ours.at &&
  stands.option === ours.option &&
  stands.text === ours.text &&
  stands.by?.username === ours.by?.username;

const notYours = ({ metadata }: Stored<Question>, { text }: View): Failure =>
  new Failure(
    `what Question "${metadata.name}" proposes can't be applied in your name: ${safeText(text)}`,
    'Nothing was answered. Somebody with that right can say yes; anybody who may answer can say no.',
  );

/** How to answer. */
export interface Answering {
  /** What to answer. Throws a UsageError for what can't be chosen. */
  choose: (question: Stored<Question>) => Choice;
  /** Without asking first. */
  yes: boolean | undefined;
}

/** Reads the Question, lets `choose` say what to answer, and answers; on a terminal an act is shown whole first. */
export async function answerQuestion(app: App, name: string, { choose, yes }: Answering): Promise<void> {
  const { client, namespace } = await app.cluster();
  const question = await find(client, { type: QUESTIONS, namespace, name });
  const refusal = closed(question, app.now()) ?? (await withdrawn(app, question));
  if (refusal) throw refusal;
  const choice = choose(question);
  const by = await whoAmI(client);
  const view = isAct(question, choice) ? await viewOf(app, question) : undefined;
  if (view && !view.shown) throw notYours(question, view);
  if (!yes) await confirm(app, question, { choice, by, view });
  const answer: Answer = {
    ...choice,
    ...(view?.shown && { shown: view.shown }),
    at: toTimestamp(app.now()),
    ...(by && { by }),
  };
  const answered = await write(app, question, answer);
  await printAnswered(app, answered, answer);
  await settleQuestion(app, { namespace, name: question.metadata.name });
}

/** What a project wants said where the answerer must be another than the requester: who that is. */
async function whoAsked(app: App, { spec }: Stored<Question>) {
  const { client, namespace } = await app.cluster();
  const session = await client.get(SESSIONS, { namespace, name: spec.session });
  const requester = session?.spec.requester?.username ?? '';
  return { labels: { [LABEL.answeredByAnother]: '' }, annotations: { [ANNOTATION.requester]: requester } };
}

const wantsWhoAsked = (error: unknown): boolean =>
  isForbidden(error) && error.message.includes(LABEL.answeredByAnother);

/** What the next try at answering goes by. */
interface Try {
  question: Stored<Question>;
  /** Metadata that the project wants with the answer. */
  said: object;
}

/** Writes the answer; begins anew where the Question changed but is still open. */
async function write(app: App, question: Stored<Question>, answer: Answer): Promise<Stored<Question>> {
  const { client, namespace } = await app.cluster();
  const ref: Ref = { namespace, name: question.metadata.name };
  let next: Try = { question, said: {} };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { uid, resourceVersion } = next.question.metadata;
    const body = { metadata: { uid, resourceVersion, ...next.said }, spec: { answer } };
    try {
      return await client.patch(QUESTIONS, ref, { type: 'merge', body });
    } catch (error) {
      next = await nextTry(app, { error, answer }, next);
      if (next.question.spec.answer) return next.question;
    }
  }
  throw new Failure(`Question "${ref.name}" changes faster than it can be answered`, 'Try again in a moment.');
}

async function nextTry(app: App, refused: { error: unknown; answer: Answer }, { question, said }: Try): Promise<Try> {
  if (wantsWhoAsked(refused.error) && !('labels' in said)) return { question, said: await whoAsked(app, question) };
  const { namespace = '', name } = question.metadata;
  const now = await afterRefusal(app, { namespace, name }, refused);
  refuseAnother(now, question.metadata.uid);
  return { said, question: now };
}

/** The Question as it is now: still open after a conflict, or answered by this very run. Throws in every other case. */
async function afterRefusal(
  app: App,
  ref: Ref,
  { error, answer }: { error: unknown; answer: Answer },
): Promise<Stored<Question>> {
  if (!isConflict(error) && !isInvalid(error)) throw error;
  const { client, namespace } = await app.cluster();
  const question = await find(client, { type: QUESTIONS, namespace, name: ref.name });
  if (isOurs(question.spec.answer, answer)) return question;
  const faster = closed(question, app.now());
  if (faster ?? isInvalid(error)) throw faster ?? error;
  return question;
}

async function printAnswered(app: App, question: Stored<Question>, answer: Answer): Promise<void> {
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') app.print(await document(question, output));
  else app.print(`${objectName(question)}${output === 'name' ? '' : ` answered ${told(answer)}`}\n`);
}
