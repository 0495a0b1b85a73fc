/**
 * Text in Slack's way. What an agent or a person writes must neither mention anybody nor link anywhere, nor look like what
 * tiny says: `&`, `<` and `>` are escaped (https://docs.slack.dev/messaging/formatting-message-text), fences are broken
 * up, and blocks are sent verbatim. Pure.
 */

/** Slack's own limits; lengths in characters, as sent (https://docs.slack.dev/reference/block-kit/blocks). */
export const LIMIT = { section: 3000, button: 75, value: 2000, id: 255, message: 13_200, blocks: 50 } as const;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export const escaped = (text: string): string => text.replace(/[&<>]/g, (char) => ESCAPES[char] ?? char);

/** What Slack has escaped, as it was written. Once: `&amp;lt;` is `&lt;`. */
export const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '');

/**
 * Control characters but line ends and tabs, and what is shown as nothing or turns other text (format characters, blank
 * letters, tags); not the mark that makes an emoji of a sign.
 */
const INVISIBLE = /(?!\ufe0f)(?:[^\P{Cc}\n\t]|[\u2028\u2029\u2800\p{Cf}\p{Default_Ignorable_Code_Point}])/gu;

const FENCE = '```';

/** Without what would change how other text reads: control characters, turns of direction, and fences of code. */
export const visible = (text: string): string => text.replace(INVISIBLE, '\ufffd').replaceAll(FENCE, "'''");

export interface Shortened {
  text: string;
  isWhole: boolean;
}

const MARK = ' […]';

/** At most `limit` characters of `text` as `write` writes each character; never half of one. */
function cut(text: string, limit: number, write: (char: string) => string): Shortened {
  const written: string[] = [];
  let length = 0;
  let fits = 0;
  for (const char of text) {
    const next = write(char);
    length += next.length;
    if (length > limit) return { text: written.slice(0, fits).join('') + MARK, isWhole: false };
    written.push(next);
    if (length <= limit - MARK.length) fits = written.length;
  }
  return { text: written.join(''), isWhole: true };
}

/** At most `limit` characters of `text` once it is escaped. */
export const shortened = (text: string, limit: number): Shortened => cut(text, limit, escaped);

/** As a block of code. */
export function fenced(text: string, limit: number): Shortened {
  const inner = shortened(visible(text), limit - 2 * FENCE.length - 2);
  return { ...inner, text: `${FENCE}\n${inner.text}\n${FENCE}` };
}

/** As a quotation, each line of it. */
export function quoted(text: string, limit: number): Shortened {
  const inner = cut(visible(text).trim(), limit - 2, (char) => (char === '\n' ? '\n> ' : escaped(char)));
  return { ...inner, text: `> ${inner.text}` };
}

/** On one line, for a button: plain text, which Slack does not parse, and so not escaped. */
export function oneLine(text: string, limit: number): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  if (line.length <= limit) return line;
  return `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
