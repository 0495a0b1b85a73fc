/**
 * How a transcript stands on a terminal: a mark of two columns before each line tells who speaks. An agent's words are
 * always indented, wrapped lines too, so that none of them can pass for what tiny says. Pure.
 */
import { safeText } from '../output/safe.ts';
import type { Style } from '../output/style.ts';
import { wrap } from '../output/width.ts';

/** How to tell it. */
export interface Telling {
  style: Style;
  /** `tiny` or `kubectl tiny`, for commands to copy. */
  program: string;
  /** Thoughts, inputs, outputs and diffs whole. */
  full: boolean;
  /** Of the terminal; absent elsewhere, where lines stay whole. */
  columns?: number;
}

export const MARK = {
  person: '> ',
  agent: '  ',
  call: '* ',
  question: '? ',
  note: '- ',
  end: '= ',
  plan: '# ',
  inside: '  | ',
} as const;

/** Lines of `text`, harmless, each after `mark`, and wrapped where the width is known. */
export function marked(text: string, mark: string, { columns }: Pick<Telling, 'columns'>): string[] {
  const lines = safeText(text).replace(/\n$/, '').split('\n');
  const fitting = columns ? lines.flatMap((line) => wrap(line, Math.max(20, columns - mark.length))) : lines;
  return fitting.map((line) => (mark + line).trimEnd());
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** `1.2 KiB`. */
export function sizeOf(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}

/** `1 line`, `2 lines`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
