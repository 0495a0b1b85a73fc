/** How many columns a terminal gives to a text, so that tables stay straight with emoji and CJK. Pure. */

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** East Asian wide and full-width blocks, and pictographs (Unicode TR 11). */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f|^[\u{20000}-\u{3fffd}]/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: printable ASCII needs no look at graphemes
const ASCII = /^[\x00-\x7f]*$/;

const columnsOf = (grapheme: string): number => (ZERO.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1);

/** The columns of a terminal, where `output` is one. */
export const terminal = ({ isTTY, columns }: { isTTY?: boolean; columns?: number }): { columns?: number } =>
  isTTY && columns ? { columns } : {};

/** Columns that `text` takes. */
export function width(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of segments.segment(text)) columns += columnsOf(segment);
  return columns;
}

/** `text` in at most `columns`, ended by `…` where something was cut, never inside a character. */
export function truncate(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    used += columnsOf(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** `text` filled with spaces up to `columns`. */
export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - width(text)));

/** `text` in pieces of at most `columns`, broken between characters. */
export function wrap(text: string, columns: number): string[] {
  if (text.length <= columns && width(text) <= columns) return [text];
  const lines = [''];
  let used = 0;
  for (const { segment } of segments.segment(text.replaceAll('\t', '    '))) {
    const own = columnsOf(segment);
    if (used + own > columns) {
      lines.push('');
      used = 0;
    }
    lines[lines.length - 1] += segment;
    used += own;
  }
  return lines;
}
