/**
 * An append-only file of JSON lines that survives SIGKILL and a power cut: each record is on the disk before
 * `append` returns, and what a cut tore (a half line, a block of NUL bytes) is passed over when it is read.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';

export interface JsonLines<T> {
  readonly records: readonly T[];
  /** Returns once the record is on the disk. Throws where the disk is full or gone, and leaves nothing of it there then. */
  append(record: T): void;
}

/** What may fail for want of room. */
export interface Disk {
  /** Writes from `offset` on and gives how many bytes it took. */
  write(file: number, bytes: Buffer, offset: number): number;
  sync(file: number): void;
}

const systemDisk: Disk = { write: (file, bytes, offset) => writeSync(file, bytes, offset), sync: fsyncSync };

/** Opens (or makes) the file at `path`. Lines that `schema` doesn't know are passed over. */
export function openJsonLines<T>(path: string, schema: z.ZodType<T>, disk: Disk = systemDisk): JsonLines<T> {
  mkdirSync(dirname(path), { recursive: true });
  const isNew = !existsSync(path);
  const text = isNew ? '' : readFileSync(path, 'utf8');
  const records = text.split('\n').flatMap((line) => parse(line, schema));
  const file = openSync(path, 'a', 0o600);
  if (isNew) syncFolder(dirname(path));
  // A torn line is ended with the next record, since a full disk takes nothing now.
  let torn = text !== '' && !text.endsWith('\n');
  return {
    records,
    append(record) {
      write(file, `${torn ? '\n' : ''}${JSON.stringify(record)}\n`, disk);
      torn = false;
      records.push(record);
    },
  };
}

function parse<T>(line: string, schema: z.ZodType<T>): T[] {
  const text = line.replaceAll('\0', '');
  if (text.trim() === '') return [];
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

/** Writes all of it or nothing: what a disk that became full took of it is taken back. */
function write(file: number, text: string, disk: Disk): void {
  const bytes = Buffer.from(text);
  const size = fstatSync(file).size;
  try {
    let written = 0;
    while (written < bytes.length) written += disk.write(file, bytes, written);
    disk.sync(file);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

/** Makes a rename or a new name in `folder` durable. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
