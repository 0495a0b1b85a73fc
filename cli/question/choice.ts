/** What a person has chosen, and what it does. Pure. */
import type { Answer, Question } from '../../lib/api/question.ts';
import { safeLine } from '../output/safe.ts';

export type Choice = Pick<Answer, 'option' | 'text'>;

/** An answer as a person reads it. */
export const told = ({ option, text }: Choice): string => (option ? option : `"${safeLine(text ?? '').slice(0, 120)}"`);

/** Whether something is done because of the choice: for an Ask the agent is told, and nothing else. */
export const isAct = ({ spec: { kind, options = [] } }: Question, { option }: Choice): boolean =>
  kind !== 'Ask' && (options.find(({ id }) => id === option)?.effect?.startsWith('Allow') ?? false);
