/**
 * Answers a Question for whoever `client` acts as: one write, under the condition that it is still the Question that was
 * seen, so that of two people who answer in the same moment one wins and the other is told who. Whether they may is the
 * API server's to say.
 */
import { toTimestamp } from '../api/conditions.ts';
import { ANNOTATION, LABEL, type Person, type Stored } from '../api/meta.ts';
import type { Answer, Question } from '../api/question.ts';
import { ApiError, isConflict, isForbidden, isInvalid } from '../kube/errors.ts';
import { type Client, QUESTIONS, type Ref, SESSIONS } from '../kube/types.ts';
import { decide } from './decision.ts';
import { withdrawal } from './withdrawal.ts';

export interface Answering {
  /** As whoever answers. */
  client: Client;
  /** Who that is, as the API server will stamp it. */
  by: Person;
  now: () => Date;
  /** Whether the Question is the one that was looked at. */
  isSeen?: (question: Stored<Question>) => boolean;
}

export type Answered =
  /** `anew`: by this call, and not by an earlier one that was the same. */
  | { kind: 'answered'; question: Stored<Question>; anew: boolean }
  | { kind: 'gone' }
  /** What was looked at is not this Question's. */
  | { kind: 'foreign' }
  /** Nobody waits for the answer any more, and why. */
  | { kind: 'withdrawn'; message: string }
  /** Somebody else was faster, or it has expired. */
  | { kind: 'closed'; question: Stored<Question> }
  /** The Question has no such option, or takes no words. */
  | { kind: 'impossible'; question: Stored<Question> }
  /** In the API server's words. */
  | { kind: 'refused'; message: string };

type Choice = Pick<Answer, 'option' | 'text'>;

/** Tries until the Question stops changing. */
const ATTEMPTS = 8;

const isClosed = (question: Stored<Question>, now: Date): boolean =>
  question.spec.answer !== undefined ||
  decide(question, now).state !== 'open' ||
  (question.status?.conditions ?? []).some(({ type }) => type === 'Acted');

/** Whether that very answer stands already: a retry, or a second press. */
const isOurs = ({ spec: { answer } }: Question, { option, text }: Choice, by: Person): boolean =>
  answer !== undefined && answer.option === option && answer.text === text && answer.by?.username === by.username;

function isPossible({ spec: { kind, options = [] } }: Question, { option, text }: Choice): boolean {
  if (option !== undefined) return options.some(({ id }) => id === option);
  return text !== undefined && text !== '' && kind === 'Ask';
}

/** Answers the Question with that uid. Throws what passes by itself. */
export async function answerAs(
  { namespace, name, uid }: Ref & { uid: string },
  choice: Choice,
  answering: Answering,
): Promise<Answered> {
  const ref: Ref = { name, ...(namespace !== undefined && { namespace }) };
  let said = {};
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const tried = await once({ ref, uid, said }, choice, answering).catch(refusedOrThrown);
    if ('kind' in tried) return tried;
    said = tried.said;
  }
  throw new ApiError(409, { code: 409, reason: 'Conflict', message: `Question "${name}" changes too fast` });
}

const refusedOrThrown = (error: unknown): Answered => {
  if (isForbidden(error) || isInvalid(error)) return { kind: 'refused', message: error.message };
  throw error;
};

/** Another try is due, with this metadata. */
type Again = { said: object };

interface Trying {
  ref: Ref;
  uid: string;
  /** Metadata that the project wants with the answer. */
  said: object;
}

async function once(trying: Trying, choice: Choice, answering: Answering): Promise<Answered | Again> {
  const { client, by, now } = answering;
  const question = await client.get(QUESTIONS, trying.ref);
  if (question?.metadata.uid !== trying.uid) return { kind: 'gone' };
  const standing = stands(question, choice, answering);
  if (standing) return standing;
  const withdrawn = await withdrawnOf(question, client);
  if (withdrawn) return { kind: 'withdrawn', message: withdrawn };
  const answer: Answer = { ...choice, at: toTimestamp(now()), by };
  return await write(question, { answer, trying, client });
}

/**
 * Why nobody waits for the answer any more, whether or not a condition says so yet. Whoever may answer need not be allowed
 * to see Sessions; then the function that acts on the answer says it.
 */
export async function withdrawnOf(question: Stored<Question>, client: Client): Promise<string | undefined> {
  try {
    return withdrawal(question, await askerOf(question, client));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** What the Question alone says against answering it so. */
function stands(question: Stored<Question>, choice: Choice, { by, now, isSeen }: Answering): Answered | undefined {
  if (isSeen && !isSeen(question)) return { kind: 'foreign' };
  if (isOurs(question, choice, by)) return { kind: 'answered', question, anew: false };
  if (isClosed(question, now())) return { kind: 'closed', question };
  return isPossible(question, choice) ? undefined : { kind: 'impossible', question };
}

interface Writing {
  answer: Answer;
  trying: Trying;
  client: Client;
}

async function write(question: Stored<Question>, { answer, trying, client }: Writing): Promise<Answered | Again> {
  const { uid, resourceVersion } = question.metadata;
  const body = { metadata: { uid, resourceVersion, ...trying.said }, spec: { answer } };
  try {
    const answered = await client.patch(QUESTIONS, trying.ref, { type: 'merge', body });
    return { kind: 'answered', question: answered, anew: true };
  } catch (error) {
    if (wantsWhoAsked(error) && !('labels' in trying.said)) return { said: await whoAsked(question, client) };
    if (isConflict(error) || (isInvalid(error) && (await isTaken(trying.ref, client)))) return { said: trying.said };
    throw error;
  }
}

/** The schema refuses a second answer as invalid; then who was faster is to be told. */
async function isTaken(ref: Ref, client: Client): Promise<boolean> {
  const question = await client.get(QUESTIONS, ref);
  return question?.spec.answer !== undefined;
}

/** Some projects want another than the requester to answer, and said with the answer who asked. */
const wantsWhoAsked = (error: unknown): boolean =>
  isForbidden(error) && error.message.includes(LABEL.answeredByAnother);

const askerOf = ({ metadata, spec }: Stored<Question>, client: Client) =>
  client.get(SESSIONS, { ...metadata, name: spec.session });

async function whoAsked(question: Stored<Question>, client: Client): Promise<object> {
  const session = await askerOf(question, client);
  const requester = session?.spec.requester?.username ?? '';
  return { labels: { [LABEL.answeredByAnother]: '' }, annotations: { [ANNOTATION.requester]: requester } };
}
