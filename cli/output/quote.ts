/**
 * Foreign text as it stands between tiny's own lines: each line begins with a mark, so that no text of an agent can
 * pass for what tiny says. Pure.
 */
import { safeText } from './safe.ts';
import { wrap } from './width.ts';

const MARK = '> ';
/** Blank lines in a row that are shown; more would push the rest off the screen. */
const BLANK = 2;

/** `lines` without most of a long run of blank ones, and how many those were. */
function collapsed(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let blank = 0;
  const end = () => blank > BLANK && shown.push(`(${blank - BLANK} more blank lines)`);
  for (const line of lines) {
    if (line.trim() === '') blank += 1;
    else {
      end();
      blank = 0;
    }
    if (blank <= BLANK) shown.push(MARK + line);
  }
  end();
  return shown;
}

/** `text`, harmless, each line after a mark; wrapped to `columns`, where they are known, so that it holds for all lines. */
export function quote(text: string, columns?: number): string {
  const lines = safeText(text).replace(/\n$/, '').split('\n');
  const fitting = columns ? lines.flatMap((line) => wrap(line, Math.max(20, columns - MARK.length))) : lines;
  return collapsed(fitting).join('\n');
}
