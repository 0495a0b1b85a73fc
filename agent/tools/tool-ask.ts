/** The tool `ask`: a question in words to whoever may answer, and the wait for the answer. */
import { z } from 'zod';
import type { QuestionSpec } from '../../lib/api/question.ts';
import { duration } from '../../lib/api/schema-parts.ts';
import { milliseconds } from '../../lib/session/lifetime.ts';
import type { Asking, Closed } from './asking.ts';
import type { ToolContext } from './tool.ts';

export const askInput = {
  text: z
    .string()
    .min(1, 'say what you ask')
    .max(16_384, 'shorten the question to 16384 characters; put the rest into a file and name it')
    .describe('The question as a person reads it, with all that is needed to answer it.'),
  options: z
    .array(z.string().min(1, 'an option needs words').max(256, 'shorten each option to 256 characters'))
    .max(16, 'give at most 16 options')
    .optional()
    .describe('What may be chosen. Without options the answer is free text.'),
  expires_in: duration()
    .optional()
    .describe('How long the question stays open, such as 30m or 2h. Default: until it is answered.'),
};
type AskInput = z.infer<z.ZodObject<typeof askInput>>;

/** Ids that a person can type: the option's own words as far as they make a DNS label. */
export function optionIds(options: readonly string[]): string[] {
  const ids: string[] = [];
  for (const [index, text] of options.entries()) {
    const words = text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40)
      .replace(/^-+|-+$/g, '');
    const id = words || `option-${index + 1}`;
    ids.push(ids.includes(id) ? `${id}-${index + 1}` : id);
  }
  return ids;
}

/** Asks and gives the answer in words. */
export function ask(asking: Asking, input: AskInput, { session, now, signal, progress }: ToolContext): Promise<string> {
  const { text, options = [], expires_in } = input;
  const ids = optionIds(options);
  const expiresAt = expires_in && new Date(now().getTime() + milliseconds(expires_in)).toISOString();
  const spec: QuestionSpec = {
    session,
    kind: 'Ask',
    text,
    ...(options.length > 0 && { options: options.map((option, index) => ({ id: ids[index] ?? '', text: option })) }),
    ...(expiresAt && { expiresAt }),
  };
  const inquiry = { content: ['ask', text, options], spec: () => spec, signal, progress };
  return asking.ask(inquiry, ({ spec: asked }, decision) => ({ value: inWords(asked, decision), again: true }));
}

function inWords({ options = [] }: QuestionSpec, decision: Closed): string {
  const chosen = options.find(({ id }) => id === decision.option)?.text;
  if (decision.state === 'answered') return chosen ?? decision.text ?? '';
  const otherwise = chosen ? `go on with the default: ${chosen}` : 'decide for yourself, or ask again';
  return `Nobody answered in time; the question has expired. ${otherwise}.`;
}
