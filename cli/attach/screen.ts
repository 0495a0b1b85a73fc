/**
 * A terminal on which something is told while a person types: what is told goes above the line that is being typed,
 * which then stands there again as it was.
 */
import { createInterface, type Interface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../app.ts';

export interface Screen {
  /** Prints whole lines, or the beginning of one. */
  print(text: string): void;
  /** What is asked for. */
  prompt(text: string): void;
  close(): void;
}

export interface Typing {
  onLine: (line: string) => void;
  /** Ctrl-C, Ctrl-D, or the end of the input. */
  onLeave: () => void;
}

const CLEAR_LINE = '\r\u001b[2K';

const streamOf = (stdin: Io['stdin']): Readable => (stdin instanceof Readable ? stdin : Readable.from(stdin));

export function openScreen({ stdin, stdout }: Io, { onLine, onLeave }: Typing): Screen {
  const isReal = stdout instanceof Writable;
  const lines: Interface = createInterface({
    input: streamOf(stdin),
    ...(isReal && { output: stdout as unknown as Writable, terminal: true }),
    historySize: 100,
  });
  // What is printed may end in the middle of a line: that goes on when the rest of it comes.
  let open = '';
  lines.on('line', onLine).on('SIGINT', onLeave).on('close', onLeave);
  return {
    print(text) {
      const all = open + text;
      const at = all.lastIndexOf('\n') + 1;
      open = all.slice(at);
      if (at === 0) return;
      if (!isReal) return void stdout.write(all.slice(0, at));
      stdout.write(`${CLEAR_LINE}${all.slice(0, at)}`);
      lines.prompt(true);
    },
    prompt(text) {
      lines.setPrompt(text);
      if (isReal) lines.prompt(true);
    },
    close() {
      if (open) stdout.write(`${isReal ? CLEAR_LINE : ''}${open}\n`);
      lines.removeListener('close', onLeave);
      lines.close();
    },
  };
}
