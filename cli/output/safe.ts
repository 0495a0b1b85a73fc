/**
 * Makes text from the cluster harmless on a terminal. Prompts, messages, questions and logs come from agents and may
 * hold escape sequences that rewrite the screen, set the title or hide words by direction marks. What is taken out
 * is shown as a visible mark, so that nobody reads something else than what is there.
 */

/** C0 and C1 controls but tab and newline, and the marks that reorder or hide text (Unicode TR 36, "Trojan source"). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
/** Colour and weight alone: `ESC [ … m`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour
const COLOUR = /\u001b\[[0-9;:]{0,32}m/g;

const NAMES: Record<string, string> = { '\u001b': '␛', '\u007f': '␡', '\u0000': '␀' };

function visible(char: string): string {
  const code = char.charCodeAt(0);
  if (NAMES[char]) return NAMES[char];
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\\u{${code.toString(16)}}`;
}

/** Text of several lines, with every control character but newline and tab made visible. */
export const safeText = (text: string): string => text.replace(/\r\n/g, '\n').replace(DANGEROUS, visible);

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
