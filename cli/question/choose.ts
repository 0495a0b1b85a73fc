/** What a word of a person means for a Question: one of its options, or free text. Pure. */
import type { Question } from '../../lib/api/question.ts';
import { UsageError } from '../failure.ts';
import { MAX_TEXT } from '../limits.ts';
import { safeLine } from '../output/safe.ts';
import { didYouMean } from '../text/near.ts';
import type { Choice } from './choice.ts';
import { reference } from './reference.ts';

type Options = NonNullable<Question['spec']['options']>;
type Option = Options[number];

/** `allow (Allow: Yes, run it), deny (…)`: the effect stands before the agent's own words, for those may mislead. */
const listed = (options: Options): string =>
  options.map(({ id, effect, text }) => `${id} (${[effect, safeLine(text)].filter(Boolean).join(': ')})`).join(', ');

/** What a word says by itself, whatever an agent has called its options. */
const SAYS: Record<string, 'Allow' | 'Deny'> = {
  ...{ yes: 'Allow', y: 'Allow', allow: 'Allow', ok: 'Allow', approve: 'Allow', accept: 'Allow', permit: 'Allow' },
  ...{ no: 'Deny', n: 'Deny', deny: 'Deny', reject: 'Deny', refuse: 'Deny', never: 'Deny', cancel: 'Deny' },
};

/** The first word of an id such as `allow-always`. */
const said = (id: string) => SAYS[id.split('-')[0] ?? ''];

const contradicts = ({ id, effect }: Option): boolean => {
  const word = said(id);
  return word !== undefined && effect !== undefined && !effect.startsWith(word);
};

/** A yes that is called no, or the other way round, is a trap: nobody falls into it by this command. */
function refuseTrap(name: string, option: Option | undefined): void {
  if (!option || !contradicts(option)) return;
  throw new UsageError(
    `Question "${name}" has an option "${option.id}" whose effect is ${option.effect}: its name says the opposite of what it does`,
    'Nothing was answered. Whoever runs the project should know which agent asks so.',
  );
}

/**
 * The option that `word` means. A word that says yes or no means the effect and never an id; only options without any
 * effect, those of an Ask, go by their ids.
 */
function findOption({ metadata, spec: { options = [] } }: Question, word: string): Option | undefined {
  const named = options.find(({ id }) => id === word);
  refuseTrap(metadata.name, named);
  const effect = SAYS[word];
  const found = (effect && options.find((option) => option.effect === effect)) ?? named;
  refuseTrap(metadata.name, found);
  return found;
}

/** The option called `word`; words only where the Question takes them. */
export function chooseWord(question: Question, word: string, asText: boolean): Choice {
  const { kind, options = [] } = question.spec;
  const { name } = question.metadata;
  const option = asText ? undefined : findOption(question, word);
  if (option) return { option: option.id };
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

/** The option that a bare yes or no means: the one with that effect, for once. */
export function chooseYesNo(question: Question, word: 'yes' | 'no'): Choice {
  const { options = [] } = question.spec;
  const option = findOption(question, word);
  if (option) return { option: option.id };
  throw new UsageError(
    `Question "${question.metadata.name}" has no plain ${word}`,
    options.length ? `Its options: ${listed(options)}.` : 'It is answered in words.',
    `Answer it by \`tiny answer ${reference(question)} ${options.length ? 'OPTION' : 'TEXT'}\`.`,
  );
}
