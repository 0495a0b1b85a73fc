/**
 * Makes Questions so that asking twice under one key is asking once: the name follows from the key. A Question of
 * that name which asks something else was not made here, and its answer is never taken for ours.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { API_VERSION, LABEL, type ObjectMeta, type Stored } from '../../lib/api/meta.ts';
import { type Question, type QuestionSpec, questionSpec } from '../../lib/api/question.ts';
import { questionRules } from '../../lib/api/question-rules.ts';
import { violations } from '../../lib/api/rule.ts';
import type { Session } from '../../lib/api/session.ts';
import { ApiError, isAlreadyExists } from '../../lib/kube/errors.ts';
import { type Client, QUESTIONS } from '../../lib/kube/types.ts';
import { isMore } from '../../lib/question/apply-allowed.ts';
import { childMeta } from '../../lib/session/names.ts';
import type { Identity } from '../env.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { OwnSession } from './own-session.ts';
import { isOf, questionLimit } from './question-limit.ts';

export interface Questions {
  /**
   * Asks `spec`, or finds what was asked under `key` before. Throws `ApiError`; 403 where there are too many already.
   */
  ask(key: string, spec: QuestionSpec): Promise<Stored<Question>>;
  /** One of this Session's. Throws `ApiError` 404 where there is none. */
  get(name: string): Promise<Stored<Question>>;
}

/** The name of the Question that is asked under `key`. */
const questionName = ({ session, sessionUid }: Pick<Identity, 'session' | 'sessionUid'>, key: string): string =>
  `${session}-${createHash('sha256').update(`${sessionUid}\n${key}`).digest('hex').slice(0, 10)}`;

/** The API server keeps no half of a surrogate pair. */
const stored = (_key: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value);

/** What is asked, without what differs between two times of asking: the time, and the agent's number of the call. */
function asked(spec: QuestionSpec): unknown {
  const {
    answer: _answer,
    expiresAt: _expiresAt,
    ...rest
  } = questionSpec.parse(JSON.parse(JSON.stringify(spec), stored));
  return { ...rest, toolCall: rest.toolCall && { ...rest.toolCall, id: '' } };
}

const refuse = (code: number, reason: string, message: string) => new ApiError(code, { code, reason, message });

/** By which admission finds the Questions that it compares with a parent, or with settings. */
function marks({ spawn, apply }: QuestionSpec, namespace: string | undefined): Record<string, string> {
  const more = namespace !== undefined && apply?.objects.some((one) => isMore(one, namespace));
  return { ...(spawn && { [LABEL.spawn]: '' }), ...(more && { [LABEL.moreApply]: '' }) };
}

function metadataOf(owner: Stored<Session>, name: string, spec: QuestionSpec): ObjectMeta {
  const metadata = childMeta(owner, name);
  return { ...metadata, labels: { ...metadata.labels, ...marks(spec, metadata.namespace) } };
}

const questionOf = (owner: Stored<Session>, name: string, spec: QuestionSpec): Question => ({
  apiVersion: API_VERSION,
  kind: 'Question',
  metadata: metadataOf(owner, name, spec),
  spec,
});

function check(question: Question, session: string): void {
  const wrong = violations(questionRules, question).map(({ path, message }) => `${path}: ${message}`);
  if (question.spec.session !== session) wrong.push(`spec.session: must be ${session}`);
  if (wrong.length) throw refuse(422, 'Invalid', wrong.join('; '));
}

export interface QuestionsOptions {
  client: Client;
  identity: Identity;
  session: OwnSession;
  now: () => Date;
}

/** The Questions of one Session. */
export function makeQuestions({ client, identity, session, now }: QuestionsOptions): Questions {
  const { namespace } = identity;
  const isOurs = (question: Stored<Question>) => isOf(question, identity.sessionUid);
  const read = (name: string) => client.get<Question>(QUESTIONS, { namespace, name });
  const none = (name: string) =>
    refuse(404, 'NotFound', `this Session has no Question ${namespace}/${name}; somebody may have deleted it`);
  const adopt = (found: Stored<Question>, spec: QuestionSpec) => {
    if (isOurs(found) && isDeepStrictEqual(asked(found.spec), asked(spec))) return found;
    const name = found.metadata.name;
    const why = 'exists already and asks something else: somebody else made it; delete it';
    throw refuse(409, 'AlreadyExists', `the Question ${name} ${why}`);
  };
  const create = async (question: Question): Promise<Stored<Question>> => {
    try {
      return await client.create<Question>(QUESTIONS, question);
    } catch (error) {
      const found = isAlreadyExists(error) ? await read(question.metadata.name) : undefined;
      if (!found) throw error;
      return adopt(found, question.spec);
    }
  };
  const limit = questionLimit({ client, identity, now });
  const askAnew = async (question: Question): Promise<Stored<Question>> => {
    const found = await read(question.metadata.name);
    if (found) return adopt(found, question.spec);
    await limit.check();
    const made = await create(question);
    limit.note();
    return made;
  };
  const inTurn = oneAtATime();
  return {
    async get(name) {
      const found = await read(name);
      if (!found || !isOurs(found)) throw none(name);
      return found;
    },
    async ask(key, spec) {
      const owner = session.known() ?? (await session.read());
      const question = questionOf(owner, questionName(identity, key), spec);
      check(question, identity.session);
      return inTurn(() => askAnew(question));
    },
  };
}
