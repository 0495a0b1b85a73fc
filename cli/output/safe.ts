/**
 * Makes text from the cluster harmless on a terminal. Prompts, messages, questions and logs come from agents and may
 * hold escape sequences that rewrite the screen, set the title or hide words by direction marks. What is taken out
 * is shown as a visible mark, so that nobody reads something else than what is there.
 */

/** A pictograph, or several joined by zero-width joiners into one, as people write them: joiners stay here alone. */
const EMOJI = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?`;
/**
 * C0 and C1 controls but tab and newline; marks that reorder or hide text (Unicode TR 36, "Trojan source"), whatever
 * else is shown as nothing (format characters, tags, default ignorables), and letters that look blank.
 */
const HIDDEN = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800\u17b4\p{Cf}\p{Default_Ignorable_Code_Point}]`;
const MARKS = new RegExp(String.raw`(${EMOJI}(?:\u200d${EMOJI})*|[0-9#*]\ufe0f\u20e3)|${HIDDEN}`, 'gu');
/** Nothing in such text needs a mark; most text is. */
const PLAIN = /^[\t\n -~]*$/;
/** Colour and weight alone: `ESC [ … m`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
const COLOUR = /\u001b\[[0-9;:]{0,32}m/g;

const NAMES: Record<string, string> = { '\u001b': '␛', '\u007f': '␡', '\u0000': '␀' };

function visible(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (NAMES[char]) return NAMES[char];
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\u{${code.toString(16)}}`;
}

/** `text` with `mark` of each character that a terminal would obey or not show. */
export function markHidden(text: string, mark: (char: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(MARKS, (found: string, emoji: string | undefined) => (emoji === undefined ? mark(found) : found));
}

/** Text of several lines, with every control character but newline and tab made visible, and what is hidden, too. */
export const safeText = (text: string): string => markHidden(text.replace(/\r\n/g, '\n'), visible);

/** Text in one line, for a cell of a table: white space is one space. */
export const safeLine = (text: string): string => safeText(text).replace(/\s+/g, ' ').trim();

/** A line of a log: as `safeText`, but colours stay where `colour` says so, and are ended at the line's end. */
export function safeLog(line: string, colour: boolean): string {
  const parts = line.split(COLOUR).map((part) => safeText(part));
  if (!colour) return parts.join('');
  const colours = line.match(COLOUR) ?? [];
  const text = parts.map((part, index) => part + (colours[index] ?? '')).join('');
  return colours.length ? `${text}\u001b[0m` : text;
}
