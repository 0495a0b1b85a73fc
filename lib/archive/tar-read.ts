/**
 * Reads a tar archive as it comes. It knows files, folders and symbolic links, and refuses all else by name: an archive
 * from elsewhere is not trusted, and what isn't understood is not skipped in silence.
 */
import { BLOCK, type TarEntry } from './tar-write.ts';

/** The archive is no archive, or one that isn't taken. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

export interface TarItem {
  entry: TarEntry;
  /** Of a file; to be read before the next item is asked for. */
  body: AsyncIterable<Buffer>;
}

/** Of a long name. */
const MOST_PAX = 64 * 1024;

interface Bytes {
  /** Exactly so many; throws where there are fewer. */
  take(count: number): Promise<Buffer>;
  /** So many, piece by piece. */
  pieces(count: number): AsyncGenerator<Buffer>;
}

function bytesOf(chunks: AsyncIterable<Uint8Array>): Bytes {
  const source = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const fill = async () => {
    const { value, done } = await source.next();
    if (done) throw new ArchiveError('the archive ends early: it was cut');
    rest = Buffer.from(value);
  };
  async function* pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      while (rest.length === 0) await fill();
      const piece = rest.subarray(0, left);
      rest = rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  return {
    pieces,
    async take(count) {
      const all: Buffer[] = [];
      for await (const piece of pieces(count)) all.push(piece);
      return Buffer.concat(all);
    },
  };
}

const textAt = (header: Buffer, from: number, length: number): string =>
  header.toString('utf8', from, from + length).replace(/\0.*$/s, '');

function numberAt(header: Buffer, from: number, length: number): number {
  const text = textAt(header, from, length).trim();
  if (!/^[0-7]*$/.test(text)) throw new ArchiveError('the archive has a header that is none');
  return Number.parseInt(text || '0', 8);
}

function checkSum(header: Buffer): void {
  const without = Buffer.concat([header.subarray(0, 148), Buffer.from(' '.repeat(8)), header.subarray(156)]);
  const sum = without.reduce((all, byte) => all + byte, 0);
  if (sum !== numberAt(header, 148, 8)) throw new ArchiveError('the archive has a header whose checksum is wrong');
}

const TYPES: Record<string, TarEntry['type']> = { '0': 'file', '\0': 'file', '2': 'link', '5': 'folder' };

type Long = { path?: string; linkpath?: string };

function entryOf(header: Buffer, long: Long): TarEntry {
  const prefix = textAt(header, 345, 155);
  const name = long.path ?? [prefix, textAt(header, 0, 100)].filter(Boolean).join('/');
  const flag = String.fromCharCode(header[156] ?? 0);
  const type = TYPES[flag];
  if (!type)
    throw new ArchiveError(`the archive has a kind of entry that is not taken (${JSON.stringify(flag)}): ${name}`);
  const target = long.linkpath ?? textAt(header, 157, 100);
  return {
    path: name.replace(/\/$/, ''),
    type,
    mode: numberAt(header, 100, 8),
    size: type === 'file' ? numberAt(header, 124, 12) : 0,
    ...(type === 'link' && { target }),
  };
}

/** The names that ustar had no room for. */
async function readPax(bytes: Bytes, size: number): Promise<Long> {
  if (size > MOST_PAX) throw new ArchiveError('the archive has a name that is too long');
  const text = (await bytes.take(size)).toString('utf8');
  await bytes.take((BLOCK - (size % BLOCK)) % BLOCK);
  const found: Long = {};
  for (const [, key, value] of text.matchAll(/^\d+ ([a-z]+)=(.*)$/gm)) {
    if (key !== 'path' && key !== 'linkpath')
      throw new ArchiveError(`the archive has an attribute that is not taken: ${key}`);
    found[key] = value ?? '';
  }
  return found;
}

/** Each entry. Throws `ArchiveError`. What a body was not read of is passed over. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarItem> {
  const bytes = bytesOf(chunks);
  let long: Long = {};
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    if (header[156] === 'x'.charCodeAt(0)) {
      long = await readPax(bytes, numberAt(header, 124, 12));
      continue;
    }
    const entry = entryOf(header, long);
    long = {};
    const body = bytes.pieces(entry.size);
    yield { entry, body };
    for await (const _ of body);
    await bytes.take((BLOCK - (entry.size % BLOCK)) % BLOCK);
  }
}
