/**
 * An append-only file of JSON lines that survives SIGKILL and a power cut: each record is on the disk before
 * `append` returns, and what a cut tore (a half line, a block of NUL bytes) is passed over when it is read.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';

export interface JsonLines<T> {
  readonly records: readonly T[];
  /** Returns once the record is on the disk. Throws where the disk is full or gone. */
  append(record: T): void;
}

/** Opens (or makes) the file at `path`. Lines that `schema` doesn't know are passed over. */
export function openJsonLines<T>(path: string, schema: z.ZodType<T>): JsonLines<T> {
  mkdirSync(dirname(path), { recursive: true });
  const isNew = !existsSync(path);
  const text = isNew ? '' : readFileSync(path, 'utf8');
  const records = text.split('\n').flatMap((line) => parse(line, schema));
  const file = openSync(path, 'a', 0o600);
  if (isNew) syncFolder(dirname(path));
  if (text !== '' && !text.endsWith('\n')) write(file, '\n');
  return {
    records,
    append(record) {
      write(file, `${JSON.stringify(record)}\n`);
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

function write(file: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
  fsyncSync(file);
}

/** Makes a rename or a new name in `folder` durable. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
