/** What each entry but words and calls looks like, as whole lines. Pure. */
import type { Entry, TranscriptUsage } from '../../lib/api/transcript.ts';
import { safeLine } from '../output/safe.ts';
import { truncate } from '../output/width.ts';
import { MARK, marked, plural, sizeOf, type Telling } from './marks.ts';

type Of<T extends Entry['type']> = Extract<Entry, { type: T }>;

const when = (at: string): string => safeLine(at).slice(0, 16).replace('T', ' ');

function prompt({ at, turn, from, text, resumed }: Of<'prompt'>, telling: Telling): string[] {
  const { style } = telling;
  if (resumed) return [style.dim(`${MARK.note}turn ${turn} goes on where its process ended`)];
  const what = from === 'prompt' ? 'the prompt' : `message ${from + 1}`;
  const more = text.characters > text.text.length ? [`${MARK.person}(${text.characters} characters in all)`] : [];
  return [
    '',
    style.bold(`${MARK.person}${what}, turn ${turn}, ${when(at)} UTC`),
    ...marked(text.text, MARK.person, telling),
    ...more,
  ];
}

const STEP = { completed: '[x]', in_progress: '[>]', pending: '[ ]' } as const;

function plan({ steps }: Of<'plan'>, { full }: Telling): string[] {
  const done = steps.filter(({ status }) => status === 'completed').length;
  const now = steps.find(({ status }) => status === 'in_progress');
  const line = `${MARK.plan}plan: ${done} of ${steps.length} done${now ? `; now: ${truncate(safeLine(now.text), 80)}` : ''}`;
  return full ? [line, ...steps.map(({ text, status }) => `${MARK.agent}${STEP[status]} ${safeLine(text)}`)] : [line];
}

/** How it is answered is told of those alone that are open, beside the transcript. */
const asked = ({ question, kind, text }: Of<'asked'>, telling: Telling): string[] => [
  telling.style.yellow(`${MARK.question}the agent asks (${safeLine(kind)}, ${safeLine(question)}), and waits:`),
  ...marked(text, MARK.agent, telling),
];

const decided = ({ question, allowed, always }: Of<'decided'>): string[] => [
  `${MARK.question}${question ? `${safeLine(question)}: ` : ''}${allowed ? 'allowed' : 'not allowed'}${always ? ', from now on' : ''}`,
];

/** `1200 tokens in, 300 out, 12% of its context, 0.12 USD`. */
function usageWords({ inputTokens, outputTokens, used, size, cost }: TranscriptUsage = {}): string {
  const share = used !== undefined && size ? `${Math.round((100 * used) / size)}% of its context` : '';
  return [
    inputTokens !== undefined && `${inputTokens} tokens in`,
    outputTokens !== undefined && `${outputTokens} out`,
    share,
    cost && `${cost.amount} ${safeLine(cost.currency)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function ended({ turn, stop, error, usage }: Of<'ended'>, { style }: Telling): string[] {
  const used = usageWords(usage);
  const how = stop === 'end_turn' ? '' : ` (${safeLine(stop)})`;
  const line = `${MARK.end}turn ${turn} ended${how}${used && `; ${used}`}`;
  return [error === undefined ? style.dim(line) : style.red(`${line}: ${safeLine(error)}`)];
}

function finished({ reason, message }: Of<'finished'>, { style }: Telling): string[] {
  const line = `${MARK.end}${safeLine(reason)}: ${safeLine(message)}`;
  return [reason === 'Completed' ? style.green(line) : style.red(line)];
}

const note = (text: string, { style, columns }: Telling): string[] =>
  marked(text, MARK.note, { ...(columns && { columns }) }).map((line) => style.dim(line));

/** The lines of an entry that stands for itself; none of words and of calls. */
export function entryLines(entry: Entry, telling: Telling): string[] {
  switch (entry.type) {
    case 'prompt':
      return prompt(entry, telling);
    case 'plan':
      return plan(entry, telling);
    case 'asked':
      return asked(entry, telling);
    case 'decided':
      return decided(entry);
    case 'ended':
      return ended(entry, telling);
    case 'finished':
      return finished(entry, telling);
    default:
      return smallLines(entry, telling);
  }
}

function smallLines(entry: Entry, telling: Telling): string[] {
  switch (entry.type) {
    case 'start':
      return note(`${safeLine(entry.session)} runs (${safeLine(entry.agent)}), ${when(entry.at)} UTC`, telling);
    case 'imported':
      return note(`goes on from Session ${safeLine(entry.session)}`, telling);
    case 'note':
      return note(entry.text, telling);
    case 'dropped':
      return note(
        `${plural(entry.entries, 'entry').replace('entrys', 'entries')} of this turn (${sizeOf(entry.characters)}) left out: a turn may add so much and no more`,
        telling,
      );
    default:
      return [];
  }
}
