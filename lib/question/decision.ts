/**
 * What a Question's answer amounts to, for everyone who acts on it: the function, the agent's side, the command
 * line. Pure, and the same everywhere, so that no two of them can disagree.
 */
import { findCondition } from '../api/conditions.ts';
import type { Person } from '../api/meta.ts';
import type { Answer, Question } from '../api/question.ts';

/** The reason of Answered=False and Acted=False once the Session that asked has ended. */
export const WITHDRAWN = 'Withdrawn';

export type Decision =
  | { state: 'open' }
  | { state: 'answered'; allowed: boolean; option?: string; text?: string; by?: Person }
  /** Nobody answered in time: the declared default is told to the agent. It allows nothing, for nobody acted. */
  | { state: 'expired'; allowed: false; option?: string };

const allows = (question: Question, option: string | undefined): boolean =>
  question.spec.options?.find(({ id }) => id === option)?.effect?.startsWith('Allow') ?? false;

/**
 * When the answer arrived, by the API server's clock: the newest time at which a manager that owns `spec.answer`
 * wrote. `undefined` where the API server did not say; `answer.at` is the answerer's word and decides nothing.
 */
export function answeredAt(question: Question): Date | undefined {
  const times = (question.metadata.managedFields ?? [])
    .filter(({ fieldsV1, subresource }) => !subresource && owns(fieldsV1, 'f:spec', 'f:answer'))
    .flatMap(({ time }) => (time ? [Date.parse(time)] : []));
  return times.length ? new Date(Math.max(...times)) : undefined;
}

function owns(fields: Record<string, unknown> | undefined, ...path: string[]): boolean {
  let at: unknown = fields;
  for (const key of path) at = (at as Record<string, unknown> | undefined)?.[key];
  return at !== undefined;
}

/** What the condition says of a Question whose Session has ended: nobody waits for an answer, and none counts. */
const isWithdrawn = (question: Question): boolean => findCondition(question, 'Answered')?.reason === WITHDRAWN;

/** What holds for `question` at `now`. An answer that came after the expiry, or after it was withdrawn, is no answer. */
export function decide(question: Question, now: Date): Decision {
  const { answer, expiresAt, defaultOption } = question.spec;
  if (isWithdrawn(question)) return { state: 'expired', allowed: false };
  const expiry = expiresAt ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY;
  if (answer && (answeredAt(question) ?? now).getTime() <= expiry) return answered(question, answer);
  if (now.getTime() <= expiry) return { state: 'open' };
  return { state: 'expired', allowed: false, ...(defaultOption && { option: defaultOption }) };
}

function answered(question: Question, { option, text, by }: Answer): Decision {
  const said = { ...(option !== undefined && { option }), ...(text !== undefined && { text }), ...(by && { by }) };
  return { state: 'answered', allowed: allows(question, option), ...said };
}
