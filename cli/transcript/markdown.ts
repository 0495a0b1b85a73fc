/**
 * Markdown as a terminal shows it: headings and bold in bold, code in another colour; the marks stay, so that what
 * was written can be read. Lines are harmless and wrapped already. Pure.
 */
import type { Style } from '../output/style.ts';

const FENCE = /^\s*(```|~~~)/;

const inline = (line: string, style: Style): string =>
  line.replace(/`[^`]+`/g, (code) => style.cyan(code)).replace(/\*\*[^*]+\*\*/g, (bold) => style.bold(bold));

/** Paints one line after another; it knows whether a fence of code is open. */
export function makeMarkdown(style: Style): (line: string) => string {
  let isCode = false;
  return (line) => {
    if (FENCE.test(line)) {
      isCode = !isCode;
      return style.dim(line);
    }
    if (isCode) return style.cyan(line);
    return /^\s*#{1,6} /.test(line) ? style.bold(line) : inline(line, style);
  };
}
