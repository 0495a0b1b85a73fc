/** Prints a transcript: rendered for a person, or the JSON lines as they are. */
import type { App } from '../app.ts';
import { safeLog, safeText } from '../output/safe.ts';
import { terminal } from '../output/width.ts';
import type { Item } from './items.ts';
import { makeRenderer } from './render.ts';

export interface Printing {
  raw: boolean;
  full: boolean;
}

export interface Printer {
  print(item: Item): void;
  /** What was held back. */
  end(): void;
}

/** Prints items one after another, as far as they are to be printed. */
export function makePrinter(app: App, { raw, full }: Printing): Printer {
  if (raw) return { print: (item) => printRaw(app, item), end() {} };
  const { style, program } = app;
  const renderer = makeRenderer({ style, program, full, ...terminal(app.io.stdout) });
  const out = (text: string) => text && app.print(text);
  return {
    print: ({ line, entry }) => void out(entry ? renderer.add(entry) : renderer.line(safeLog(line, false))),
    end: () => void out(renderer.end()),
  };
}

/** What is no entry goes to stderr, so that stdout is JSON lines and nothing else. */
function printRaw(app: App, { line, entry }: Item): void {
  if (!entry) app.note(safeLog(line, false));
  else app.print(`${app.io.stdout.isTTY ? safeText(line) : line}\n`);
}
