/** What a word of a person means for a Question: one of its options, or free text. Pure. */
import type { Effect, Question } from '../../lib/api/question.ts';
import { UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';
import { didYouMean } from '../text/near.ts';
import type { Choice } from './answer.ts';

type Options = NonNullable<Question['spec']['options']>;

const MAX_TEXT = 16_384;

/** `allow (Allow: Yes, run it), deny (…)`: the effect stands before the agent's own words, for those may mislead. */
const listed = (options: Options): string =>
  options.map(({ id, effect, text }) => `${id} (${[effect, safeLine(text)].filter(Boolean).join(': ')})`).join(', ');

/** The option called `word`; words only where the Question takes them. */
export function chooseWord(question: Question, word: string, asText: boolean): Choice {
  const { kind, options = [] } = question.spec;
  const { name } = question.metadata;
  if (!asText && options.some(({ id }) => id === word)) return { option: word };
  if (kind === 'Ask' && (asText || options.length === 0)) return inWords(name, word);
  if (asText) throw new UsageError(`Question "${name}" is not answered in words`, `Its options: ${listed(options)}.`);
  throw new UsageError(
    `Question "${name}" has no option "${safeLine(word).slice(0, 60)}"`,
    didYouMean(
      word,
      options.map(({ id }) => id),
    ),
    `Its options: ${listed(options)}.`,
    kind === 'Ask' ? 'With --text it is answered in words.' : '',
  );
}

function inWords(name: string, text: string): Choice {
  if (!text) throw new UsageError(`the answer to Question "${name}" is empty`);
  if (text.length > MAX_TEXT) {
    throw new UsageError(`an answer is at most ${MAX_TEXT} characters, and this one has ${text.length}`);
  }
  return { text };
}

const EFFECTS: Record<'yes' | 'no', Effect> = { yes: 'Allow', no: 'Deny' };

/** The option that a bare yes or no means: the one with that effect, for once; or the one named so. */
export function chooseYesNo(question: Question, word: 'yes' | 'no'): Choice {
  const { options = [] } = question.spec;
  const option = options.find(({ effect }) => effect === EFFECTS[word]) ?? options.find(({ id }) => id === word);
  if (option) return { option: option.id };
  throw new UsageError(
    `Question "${question.metadata.name}" has no plain ${word}`,
    options.length ? `Its options: ${listed(options)}.` : 'It is answered in words.',
    `Answer it by \`tiny answer ${question.metadata.name} ${options.length ? 'OPTION' : 'TEXT'}\`.`,
  );
}
