/**
 * Takes the values of Secrets out of what the tools tell the API server: everybody who may read Sessions and Questions
 * reads it there. What is proposed is not mended but refused: an object with a hole in it must not be made.
 */
import { isDeepStrictEqual } from 'node:util';
import type { QuestionSpec } from '../../lib/api/question.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { makeRedactor, type Redact, redactDeep } from '../redact.ts';
import type { Questions } from './questions.ts';
import type { StatusWriter } from './status-writer.ts';

/** What takes out the values that stay, and those that `changing` reads anew each time, such as a token. */
export function redactorOf(fixed: readonly string[], changing: () => readonly string[]): () => Redact {
  let made: { values: readonly string[]; redact: Redact } | undefined;
  return () => {
    const values = changing();
    if (!made || !isDeepStrictEqual(made.values, values))
      made = { values, redact: makeRedactor([...fixed, ...values]) };
    return made.redact;
  };
}

/** A writer that tells no value of a Secret. */
export const redactedStatus = (status: StatusWriter, redact: () => Redact): StatusWriter => ({
  tell: (patch) => status.tell(redactDeep(patch, redact())),
});

const PROPOSALS = ['spawn', 'apply'] as const;

function checkProposals(spec: QuestionSpec, shown: QuestionSpec): void {
  if (PROPOSALS.every((field) => isDeepStrictEqual(spec[field], shown[field]))) return;
  const message =
    'what is proposed holds the value of a Secret, and everybody who may read Questions would read it: name the Secret instead';
  throw new ApiError(422, { code: 422, reason: 'Invalid', message });
}

/** Questions that show no value of a Secret. Throws `ApiError` 422 for a proposal that holds one. */
export const redactedQuestions = (questions: Questions, redact: () => Redact): Questions => ({
  ...questions,
  async ask(key, spec) {
    const shown = redactDeep(spec, redact());
    checkProposals(spec, shown);
    return questions.ask(key, shown);
  },
});
