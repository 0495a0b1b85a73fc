/** A text from exactly one of three places: an argument, a file, or stdin. */
import type { App, Io } from '../app.ts';
import { UsageError } from '../failure.ts';
import { decodeUtf8, invalidUtf8At } from './utf8.ts';

/** More than any text of a resource may have; reading stops there, so that `< /dev/zero` ends. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Where to read; `what` names the text in errors. */
export interface Source {
  what: string;
  argument: string | undefined;
  file: string | undefined;
}

async function readStdin(stdin: Io['stdin']): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    chunks.push(bytes);
    size += bytes.length;
    if (size > MAX_BYTES) break;
  }
  return Buffer.concat(chunks);
}

async function readNamed(app: App, file: string): Promise<Uint8Array> {
  try {
    return await app.readFile(file);
  } catch (error) {
    throw new UsageError(`can't read ${file}: ${(error as Error).message}`);
  }
}

/** Bytes of `file`, or of stdin where it is `-`. */
export const readBytes = (app: App, file: string): Promise<Uint8Array> =>
  file === '-' ? readStdin(app.io.stdin) : readNamed(app, file);

/** The text; a UsageError where there is none, two, or one that is no UTF-8. */
export async function readText(app: App, { what, argument, file }: Source): Promise<string> {
  if (argument !== undefined && file !== undefined) {
    throw new UsageError(`the ${what} was given twice: as an argument and with -f`);
  }
  const from = file ?? (argument === '-' ? '-' : undefined);
  const text = from === undefined ? (argument ?? '') : await decoded(app, from);
  if (text.length) return text;
  throw new UsageError(`the ${what} is missing`, 'Give it as an argument, with -f FILE, or with - from stdin.');
}

async function decoded(app: App, from: string): Promise<string> {
  const bytes = await readBytes(app, from);
  const at = invalidUtf8At(bytes);
  if (at === undefined) return decodeUtf8(bytes);
  throw new UsageError(
    `${from === '-' ? 'stdin' : from} is no UTF-8 text: the byte at offset ${at} is 0x${bytes[at]?.toString(16)}`,
  );
}
