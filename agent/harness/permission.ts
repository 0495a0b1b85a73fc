/**
 * A permission request of an agent as a Question. It holds the call whole, since what was approved is what is done. Pure.
 */
import type { QuestionSpec } from '../../lib/api/question.ts';
import { cut } from '../cut.ts';
import type { Choice } from './choices.ts';
import type { ToolCall } from './tool-call.ts';

/** The limits of the Question's schema, in characters. */
const LIMIT = { title: 1024, input: 65_536, diff: 262_144 };

/**
 * Why a person can't be shown the call whole, in words for the agent: then nobody may allow it. A title is enough to
 * go by only where it is all there is.
 */
export function unshowable({ title, input = '', diff = '' }: ToolCall): string | undefined {
  const long = [
    { what: 'its input', length: input.length, limit: LIMIT.input },
    { what: 'its diff', length: diff.length, limit: LIMIT.diff },
    { what: 'its title', length: input || diff ? 0 : title.length, limit: LIMIT.title },
  ].find(({ length, limit }) => length > limit);
  return (
    long &&
    `denied, because ${long.what} has ${long.length} characters and a person can be shown ${long.limit}: do it in smaller steps, or write the text into a file first`
  );
}

/** The Question to ask; `undefined` where the agent offers no way to say yes. */
export function permitQuestion(
  session: string,
  toolCall: ToolCall,
  choices: readonly Choice[],
): QuestionSpec | undefined {
  if (!choices.some(({ effect }) => effect.startsWith('Allow'))) return undefined;
  return {
    session,
    kind: 'Permit',
    text: `May the agent do this? ${toolCall.kind}: ${cut(toolCall.command ?? toolCall.title, LIMIT.title)}`,
    options: choices.map(({ id, text, effect }) => ({ id, text, effect })),
    toolCall: { ...toolCall, title: cut(toolCall.title, LIMIT.title) },
  };
}
