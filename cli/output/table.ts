/**
 * Tables as kubectl prints them: upper-case headings, columns as wide as their widest cell, three spaces between,
 * nothing after the last. Every cell is made harmless here, so that no command can forget it.
 */
import { safeLine } from './safe.ts';
import { pad, truncate, width } from './width.ts';

/** A column. `paint` colours a cell after it was measured; `shrink` lets the last column give way to the terminal. */
export interface Column<Row> {
  heading: string;
  cell: (row: Row) => string | undefined;
  paint?: (text: string, row: Row) => string;
  shrink?: boolean;
  /** Only with `-o wide`. */
  wide?: boolean;
}

export interface TableOptions {
  /** Columns of the terminal; absent where output isn't one and nothing is cut. */
  columns?: number;
  /** Leave out the headings, for rows that follow a table (`-w`). */
  noHeadings?: boolean;
  /** Widths of an earlier table to stay in line with. */
  widths?: readonly number[];
}

const GAP = 3;
const text = <Row>(column: Column<Row>, row: Row): string => safeLine(column.cell(row) ?? '') || '<none>';

/** How wide each column must be for `rows`. */
export const columnWidths = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] =>
  columns.map((column) => Math.max(width(column.heading), ...rows.map((row) => width(text(column, row)))));

/** `rows` as lines, each ended by a newline. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], options: TableOptions = {}): string {
  const widths = columnWidths(columns, rows).map((own, index) => Math.max(own, options.widths?.[index] ?? 0));
  const cut = cutter(columns, widths, options.columns);
  const line = (cells: readonly [string, (text: string) => string][]) =>
    `${cells
      .map(([cell, paint], index) => {
        const last = index === cells.length - 1;
        const shown = cut(cell, index);
        return last ? paint(shown) : paint(shown) + ' '.repeat((widths[index] ?? 0) + GAP - width(shown));
      })
      .join('')}\n`;
  const plain = (cell: string) => cell;
  const head = options.noHeadings ? '' : line(columns.map(({ heading }) => [heading, plain] as const));
  const body = rows.map((row) =>
    line(columns.map((column) => [text(column, row), (cell) => column.paint?.(cell, row) ?? cell] as const)),
  );
  return head + body.join('');
}

/** Cuts the cells of a last column that may shrink to what the terminal has left; 12 columns it always keeps. */
function cutter<Row>(columns: readonly Column<Row>[], widths: readonly number[], total: number | undefined) {
  const last = columns.length - 1;
  if (!total || !columns[last]?.shrink) return (cell: string) => cell;
  const before = widths.slice(0, last).reduce((sum, own) => sum + own + GAP, 0);
  return (cell: string, index: number) => (index === last ? truncate(cell, Math.max(12, total - before)) : cell);
}

/** Lines of `Label:   value`, labels padded to one width; rows without a value are left out. */
export function fields(rows: readonly (readonly [label: string, value: string | undefined])[]): string {
  const told = rows.filter(([, value]) => value);
  const labels = Math.max(0, ...told.map(([label]) => width(label) + 1));
  return told
    .map(
      ([label, value]) => `${pad(`${label}:`, labels + 2)}${value?.replaceAll('\n', `\n${' '.repeat(labels + 2)}`)}\n`,
    )
    .join('');
}
