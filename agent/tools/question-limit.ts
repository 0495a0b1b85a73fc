/**
 * How much a Session may ask: an agent that asks without end would fill the API server, and nobody would read it. The
 * open Questions are counted where they are kept, so that a kill of the tools gives no more of them.
 */
import { LABEL, type Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { type Client, QUESTIONS } from '../../lib/kube/types.ts';
import { decide } from '../../lib/question/decision.ts';
import type { Identity } from '../env.ts';

/** How many of a Session's Questions may be open at a time. */
export const MAX_OPEN = 16;
/** How many a Session may ask within a minute. */
export const MAX_A_MINUTE = 30;
const MINUTE_MS = 60_000;

export interface QuestionLimit {
  /** Throws `ApiError` 403, in words for the agent, where no more may be asked now. */
  check(): Promise<void>;
  /** A Question was made. */
  note(): void;
}

/** Whether the Session with this uid owns it. */
export const isOf = ({ metadata }: Stored<Question>, sessionUid: string): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === sessionUid) ?? false;

function tooMany(what: string): ApiError {
  const message = `${what}: wait for answers before you ask more, and ask less often`;
  return new ApiError(403, { code: 403, reason: 'TooManyQuestions', message });
}

/** The limit of one Session. */
export function questionLimit({
  client,
  identity: { namespace, sessionUid },
  now,
}: {
  client: Client;
  identity: Identity;
  now: () => Date;
}): QuestionLimit {
  let times: number[] = [];
  return {
    async check() {
      const labelSelector = `${LABEL.sessionUid}=${sessionUid}`;
      const { items } = await client.list<Question>(QUESTIONS, { namespace, labelSelector });
      const open = items.filter((one) => isOf(one, sessionUid) && decide(one, now()).state === 'open').length;
      if (open >= MAX_OPEN) throw tooMany(`${open} Questions of this Session are open, and there may be ${MAX_OPEN}`);
      times = times.filter((time) => time > now().getTime() - MINUTE_MS);
      if (times.length >= MAX_A_MINUTE) throw tooMany(`${times.length} Questions were asked within a minute`);
    },
    note: () => void times.push(now().getTime()),
  };
}
