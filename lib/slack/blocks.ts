/**
 * A Question as a message of Slack. What tiny says and what an agent says are told apart by their form: the agent's words
 * are quotations and code. What does not fit is shortened with the command that tells all, and then a yes asks once
 * more. A block's id names the Question, and a button's value the option. Pure.
 */
import type { Choice, Part, Telling } from '../channel/telling.ts';
import { escaped, fenced, LIMIT, oneLine, quoted, type Shortened, visible } from './text.ts';

export type Block = { type: string; block_id?: string } & Record<string, unknown>;

export interface Message {
  /** For notifications and for clients without blocks. */
  text: string;
  blocks: Block[];
}

/** Which Question a message shows. */
export interface Shown {
  namespace: string;
  name: string;
  uid: string;
}

/** The button that opens a window for words. */
export const WORDS = 'words';

const DNS = '[a-z0-9][-a-z0-9]{0,62}';
const ID = new RegExp(`^question/(${DNS})/(${DNS})/([0-9a-zA-Z-]{1,64})$`);

export const idOf = ({ namespace, name, uid }: Shown): string => `question/${namespace}/${name}/${uid}`;

export function shownBy(id: string): Shown | undefined {
  const [, namespace, name, uid] = ID.exec(id) ?? [];
  return namespace && name && uid ? { namespace, name, uid } : undefined;
}

const section = (text: string): Block => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } });
const context = (text: string): Block => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text, verbatim: true }],
});

const STYLE: Record<string, object> = { Allow: { style: 'primary' }, Deny: { style: 'danger' } };

function confirm({ whole }: Telling): object {
  return {
    confirm: {
      title: { type: 'plain_text', text: 'Unread parts' },
      text: { type: 'plain_text', text: oneLine(`The message is shortened. All of it: ${whole}`, 300) },
      confirm: { type: 'plain_text', text: 'Yes all the same' },
      deny: { type: 'plain_text', text: 'Back' },
    },
  };
}

function button({ id, text, effect }: Choice, unread: object | undefined): object {
  // The effect stands before the agent's own words, for those may mislead.
  const label = effect ? `${effect}: ${text}` : text;
  return {
    type: 'button',
    action_id: `option/${id}`,
    value: id,
    text: { type: 'plain_text', text: oneLine(label, LIMIT.button) || id, emoji: false },
    ...STYLE[effect ?? ''],
    ...(effect?.startsWith('Allow') && unread),
  };
}

function actions(telling: Telling, isWhole: boolean): Block[] {
  if (telling.state !== 'Open') return [];
  const words = { type: 'button', action_id: WORDS, text: { type: 'plain_text', text: 'Answer in words' } };
  const unread = isWhole ? undefined : confirm(telling);
  const buttons = telling.options.map((option) => button(option, unread));
  const elements = telling.kind === 'Ask' ? [...buttons, words] : buttons;
  return [{ type: 'actions', block_id: idOf(telling), elements }];
}

function outcome({ state, answer, outcome: told, kind }: Telling): Block[] {
  if (state === 'Open') return [];
  const lines = [
    ...(answer
      ? [
          `*Answered by ${escaped(oneLine(answer.by, 200))}*${answer.at ? ` at ${escaped(answer.at)}` : ''}`,
          quoted(answer.said, 1200).text,
        ]
      : []),
    ...(told
      ? [`*${escaped(state)}*: ${escaped(oneLine(told, 600))}`]
      : kind === 'Ask'
        ? []
        : ['What comes of it follows.']),
  ];
  return [section(lines.join('\n'))];
}

const heading = ({ session, namespace, kind }: Telling): string =>
  `*Session \`${session}\` in \`${namespace}\` asks* (${kind})`;

function footer({ expiresAt, defaultOption, whole, state }: Telling, isWhole: boolean): Block[] {
  const ends =
    expiresAt && state === 'Open'
      ? [`open until ${escaped(expiresAt)}, then ${defaultOption ? `\`${defaultOption}\`` : 'no'}`]
      : [];
  const all = isWhole ? `\`${whole}\`` : `*shortened*; all of it: \`${whole}\``;
  return [context([...ends, all].join(' · '))];
}

/** What a part takes of a message where all are long. */
const part = ({ title, text }: Part, limit: number): { block: Block; isWhole: boolean } => {
  const [whole, shown] = [Number.POSITIVE_INFINITY, 300].map((most) => oneLine(title, most));
  const head = `*${escaped(shown ?? '')}*\n`;
  const body = fenced(text, limit - head.length);
  return { block: section(head + body.text), isWhole: body.isWhole && shown === whole };
};

function withLimit(telling: Telling, limit: number): Message {
  const words: Shortened = quoted(telling.text, limit);
  const parts = telling.parts.map((one) => part(one, limit));
  const isWhole = words.isWhole && parts.every((one) => one.isWhole);
  return {
    text: oneLine(`Session ${telling.session} asks: ${escaped(visible(telling.text))}`, 300),
    blocks: [
      section(heading(telling)),
      section(words.text),
      ...parts.map(({ block }) => block),
      ...outcome(telling),
      ...footer(telling, isWhole),
      ...actions(telling, isWhole),
    ],
  };
}

/** The message, within all of Slack's limits. */
export function makeMessage(telling: Telling): Message {
  for (let limit: number = LIMIT.section; ; limit = Math.floor(limit * 0.8)) {
    const message = withLimit(telling, limit);
    if (JSON.stringify(message).length <= LIMIT.message - 200 || limit < 300) return message;
  }
}

/** Of a Question that is no longer there. */
export const goneMessage = ({ namespace, name }: Shown): Message => ({
  text: 'The Question is gone.',
  blocks: [section(`Question \`${name}\` in \`${namespace}\` is gone: its Session was deleted, or it was.`)],
});
