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
import { childMeta } from '../../lib/session/names.ts';
import type { Identity } from '../env.ts';
import type { OwnSession } from './own-session.ts';

export interface Questions {
  /** Asks `spec`, or finds what was asked under `key` before. Throws `ApiError`. */
  ask(key: string, spec: QuestionSpec): Promise<Stored<Question>>;
  /** Throws `ApiError` 404 where there is none. */
  get(name: string): Promise<Stored<Question>>;
}

/** The name of the Question that is asked under `key`. */
export const questionName = ({ session, sessionUid }: Pick<Identity, 'session' | 'sessionUid'>, key: string): string =>
  `${session}-${createHash('sha256').update(`${sessionUid}\n${key}`).digest('hex').slice(0, 10)}`;

/** What is asked, without what differs between two times of asking: the time, and the agent's number of the call. */
function asked(spec: QuestionSpec): unknown {
  const { answer: _answer, expiresAt: _expiresAt, ...rest } = questionSpec.parse(JSON.parse(JSON.stringify(spec)));
  return { ...rest, toolCall: rest.toolCall && { ...rest.toolCall, id: '' } };
}

const refuse = (code: number, reason: string, message: string) => new ApiError(code, { code, reason, message });

function metadataOf(owner: Stored<Session>, name: string, { spawn }: QuestionSpec): ObjectMeta {
  const metadata = childMeta(owner, name);
  return spawn ? { ...metadata, labels: { ...metadata.labels, [LABEL.spawn]: '' } } : metadata;
}

/** The Questions of one Session. */
export function makeQuestions(client: Client, identity: Identity, session: OwnSession): Questions {
  const { namespace } = identity;
  const get = async (name: string) => {
    const found = await client.get<Question>(QUESTIONS, { namespace, name });
    if (!found)
      throw refuse(404, 'NotFound', `there is no Question ${namespace}/${name}; somebody may have deleted it`);
    return found;
  };
  const adopt = async (name: string, spec: QuestionSpec) => {
    const found = await get(name);
    const isOurs = found.metadata.ownerReferences?.some(({ uid }) => uid === identity.sessionUid);
    if (isOurs && isDeepStrictEqual(asked(found.spec), asked(spec))) return found;
    throw refuse(
      409,
      'AlreadyExists',
      `the Question ${name} exists already and asks something else: somebody else made it; delete it`,
    );
  };
  return {
    get,
    async ask(key, spec) {
      const name = questionName(identity, key);
      const owner = session.known() ?? (await session.read());
      const question: Question = {
        apiVersion: API_VERSION,
        kind: 'Question',
        metadata: metadataOf(owner, name, spec),
        spec,
      };
      const wrong = violations(questionRules, question).map(({ path, message }) => `${path}: ${message}`);
      if (spec.session !== identity.session) wrong.push(`spec.session: must be ${identity.session}`);
      if (wrong.length) throw refuse(422, 'Invalid', wrong.join('; '));
      return client.create<Question>(QUESTIONS, question).catch((error) => {
        if (isAlreadyExists(error)) return adopt(name, spec);
        throw error;
      });
    },
  };
}
