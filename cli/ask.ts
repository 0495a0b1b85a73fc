/** Asking the person at the terminal, once or again and again: stdin is read line by line and stays open. */
import { Buffer } from 'node:buffer';
import type { App, Io } from './app.ts';
import { Failure, UsageError } from './failure.ts';

interface Reader {
  chunks: AsyncIterator<Uint8Array | string>;
  /** What came after the last line that was read. */
  rest: string;
}

const readers = new WeakMap<Io['stdin'], Reader>();

function readerOf(stdin: Io['stdin']): Reader {
  const reader = readers.get(stdin) ?? { chunks: stdin[Symbol.asyncIterator](), rest: '' };
  readers.set(stdin, reader);
  return reader;
}

/** The next line; what there is of it where the input ends. */
async function nextLine(stdin: Io['stdin']): Promise<string> {
  const reader = readerOf(stdin);
  while (!reader.rest.includes('\n')) {
    const { value, done } = await reader.chunks.next();
    if (done) break;
    reader.rest += typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
  }
  const [line = '', ...others] = reader.rest.split('\n');
  reader.rest = others.join('\n');
  return line;
}

/** Whether somebody sits there who sees what is asked, and can answer. */
export const canAsk = ({ io }: App): boolean => io.stdin.isTTY === true && io.stderr.isTTY === true;

/** Goes on after a yes. Throws where the answer is another, or where nobody can be asked. */
export async function askYes(app: App, question: string): Promise<void> {
  if (!canAsk(app)) throw new UsageError(`${question} Nobody can be asked here`, 'Say yes beforehand: --yes.');
  app.io.stderr.write(`${question} [y/N] `);
  if (/^y(es)?$/i.test((await nextLine(app.io.stdin)).trim())) return;
  throw new Failure('nothing was done');
}
