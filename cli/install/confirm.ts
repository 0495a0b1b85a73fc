/** Asks before something is done that others will feel. */
import { Buffer } from 'node:buffer';
import type { App } from '../app.ts';
import { Failure, UsageError } from '../failure.ts';

async function firstLine(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}

/** Goes on after a yes. Throws where the answer is another, or where nobody can be asked. */
export async function confirm(app: App, question: string): Promise<void> {
  const { stdin, stderr } = app.io;
  if (!stdin.isTTY) throw new UsageError(`${question} Nobody can be asked here`, 'Say yes beforehand: --yes.');
  stderr.write(`${question} [y/N] `);
  if (/^y(es)?$/i.test((await firstLine(stdin)).trim())) return;
  throw new Failure('nothing was done');
}
