/** Reads an archive of a Session from its first entry to its last, checked: nothing of it is handed on that isn't taken. */
import { createHash, type Hash } from 'node:crypto';
import { checkEntry, END, end, MANIFEST, type Manifest, MOST_BYTES, MOST_ENTRIES, manifest } from './layout.ts';
import { ArchiveError, readTar, type TarItem } from './tar-read.ts';
import type { TarEntry } from './tar-write.ts';

const MOST_SMALL = 1024 * 1024;

async function smallText({ entry, body }: TarItem): Promise<string> {
  if (entry.size > MOST_SMALL) throw new ArchiveError(`${entry.path} of the archive is too large`);
  const all: Buffer[] = [];
  for await (const piece of body) all.push(piece);
  return Buffer.concat(all).toString('utf8');
}

async function parsed<T>(item: TarItem, read: (value: unknown) => T): Promise<T> {
  const text = await smallText(item);
  try {
    return read(JSON.parse(text));
  } catch {
    throw new ArchiveError(`${item.entry.path} of the archive is not what tiny writes`);
  }
}

/** What `end.json` sums up of an entry. */
export const sumEntry = (hash: Hash, { path, type, size, target = '' }: TarEntry): Hash =>
  hash.update(JSON.stringify([path, type, size, target]));

/** Sums up what passes. */
async function* summed(body: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    hash.update(piece);
    yield piece;
  }
}

export interface Unpacking {
  manifest: (manifest: Manifest) => void | Promise<void>;
  /** Reads the body to its end. */
  entry: (item: TarItem) => Promise<void>;
}

/** Hands on what is in the archive. Throws `ArchiveError` where it isn't taken, at the latest at its end. */
export async function openArchive(chunks: AsyncIterable<Uint8Array>, unpacking: Unpacking): Promise<void> {
  const hash = createHash('sha256');
  const items = readTar(chunks);
  const begin = await items.next();
  if (begin.done) throw new ArchiveError('the archive is empty');
  await unpacking.manifest(await first(begin.value));
  const total = { entries: 0, bytes: 0 };
  for await (const item of items) {
    if (item.entry.path === END) return checkEnd(await parsed(item, end.parse), total.entries, hash);
    count(item.entry, total);
    checkEntry(item.entry);
    sumEntry(hash, item.entry);
    await unpacking.entry({ ...item, body: summed(item.body, hash) });
  }
  throw new ArchiveError('the archive has no end: it was cut');
}

function count({ size }: TarEntry, total: { entries: number; bytes: number }): void {
  total.entries += 1;
  total.bytes += size;
  if (total.bytes > MOST_BYTES || total.entries > MOST_ENTRIES)
    throw new ArchiveError(`the archive is larger than is taken: ${MOST_BYTES} bytes, ${MOST_ENTRIES} entries`);
}

function first(item: TarItem): Promise<Manifest> {
  if (item.entry.path !== MANIFEST)
    throw new ArchiveError('the archive is none of a Session: `tiny export` writes those');
  return parsed(item, manifest.parse);
}

function checkEnd({ entries, sha256 }: { entries: number; sha256: string }, count: number, hash: Hash): void {
  if (entries !== count || sha256 !== hash.digest('hex'))
    throw new ArchiveError('the archive is not as it was written: its checksum is wrong');
}
