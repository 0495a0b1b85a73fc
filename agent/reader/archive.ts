/**
 * Prints an archive of a Session as lines of base64, since a log is text: its parts as a gzipped tar archive, without
 * the manifest, which whoever asked for it puts before (gzip's members follow each other). It prints no faster than a
 * node turns a log over while somebody reads it.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { END, type End, MOST_BYTES, MOST_ENTRIES } from '../../lib/archive/layout.ts';
import { sumEntry } from '../../lib/archive/open.ts';
import { paddingOf, TAR_END, tarHeader } from '../../lib/archive/tar-write.ts';
import { partsOf } from './parts.ts';
import type { Place, Printer } from './printer.ts';
import type { Found } from './walk.ts';

const PIECE = 64 * 1024;
/** A multiple of three, and as base64 below the 16 KiB that a container runtime keeps in one piece. */
const LINE_BYTES = 12_000;
/**
 * Bytes a second. A node begins a log file anew when it is above 10 MiB, and looks every 10 s: so whoever follows has
 * that long to read the last one to its end.
 */
const PACE = 16 * 1024 * 1024;

/** Exactly `size` bytes of an open file, though it grows or shrinks meanwhile; filled up with zeros where it is too short. */
export function* contentOf(handle: number, size: number): Generator<Buffer> {
  for (let left = size; left > 0; ) {
    const piece = Buffer.alloc(Math.min(PIECE, left));
    const count = readSync(handle, piece, 0, piece.length, null);
    left -= count || piece.length;
    yield count === 0 ? piece : piece.subarray(0, count);
  }
}

/** `undefined` where it is gone by now. A link that has come in its place is not followed. */
export function openFile(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

function* packed({ entry, file }: Found, hash: Hash): Generator<Buffer, boolean> {
  const handle = entry.type === 'file' ? openFile(file) : undefined;
  if (entry.type === 'file' && handle === undefined) return false;
  yield tarHeader(entry);
  sumEntry(hash, entry);
  if (handle === undefined) return true;
  try {
    for (const piece of contentOf(handle, entry.size)) {
      hash.update(piece);
      yield piece;
    }
  } finally {
    closeSync(handle);
  }
  yield paddingOf(entry.size);
  return true;
}

/** The archive after its manifest. Throws where it would be larger than is taken. */
export function* tarOf(place: Place): Generator<Buffer> {
  const hash = createHash('sha256');
  const total = { entries: 0, bytes: 0, left: 0 };
  const left = () => {
    total.left += 1;
  };
  for (const found of partsOf(place, left)) {
    if (!(yield* packed(found, hash))) {
      left();
      continue;
    }
    total.entries += 1;
    total.bytes += found.entry.size;
    if (total.bytes > MOST_BYTES || total.entries > MOST_ENTRIES)
      throw new Error(`the volume holds more than an archive takes: ${MOST_BYTES} bytes, ${MOST_ENTRIES} entries`);
  }
  const end: End = { entries: total.entries, sha256: hash.digest('hex'), left: total.left };
  const text = Buffer.from(JSON.stringify(end));
  yield tarHeader({ path: END, type: 'file', mode: 0o644, size: text.length });
  yield Buffer.concat([text, paddingOf(text.length), TAR_END]);
}

export async function printArchive(place: Place, printer: Printer): Promise<void> {
  const zipped = createGzip({ level: 6 });
  Readable.from(tarOf(place))
    .on('error', (error) => zipped.destroy(error))
    .pipe(zipped);
  const began = Date.now();
  let rest: Buffer = Buffer.alloc(0);
  let printed = 0;
  for await (const chunk of zipped) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (; rest.length >= LINE_BYTES; rest = rest.subarray(LINE_BYTES))
      await printer.line(rest.subarray(0, LINE_BYTES).toString('base64'));
    printed += (chunk as Buffer).length;
    const early = (printed / PACE) * 1000 - (Date.now() - began);
    if (early > 0) await sleep(early);
  }
  if (rest.length > 0) await printer.line(rest.toString('base64'));
}
