/**
 * The transcript on the volume: files of at most a megabyte, named after the number of their first entry. When there
 * are too many, those after the first go, oldest first: how it began and what came last stay. It is not synced to the
 * disk line by line, as the journal is: after a power cut its end may be missing, and nothing depends on that.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseEntry } from '../../lib/api/transcript.ts';

export interface Limits {
  /** The largest file, in bytes. */
  fileBytes: number;
  /** The most files. */
  files: number;
}

const LIMITS: Limits = { fileBytes: 1024 * 1024, files: 16 };

export interface Store {
  /** The number of the last entry; 0 where there is none. */
  readonly lastSeq: number;
  /** Adds a line, without its end. Throws where the volume is full or gone. */
  append(seq: number, line: string): void;
  /** The last lines, at most so many bytes of them, oldest first. */
  tail(bytes: number): string[];
}

const nameOf = (seq: number): string => `${String(seq).padStart(10, '0')}.jsonl`;

const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{10}\.jsonl$/.test(name))
    .sort();

/** A look at both ends is enough here, and at a wake counts: whoever reads the lines parses them. */
const isWhole = (line: string): boolean => line.startsWith('{"v":') && line.endsWith('}');

const linesIn = (folder: string, name: string): string[] =>
  readFileSync(join(folder, name), 'utf8').split('\n').filter(isWhole);

function lastSeqIn(folder: string): number {
  for (const name of filesIn(folder).reverse()) {
    for (const line of linesIn(folder, name).reverse()) {
      const entry = parseEntry(line);
      if (entry) return entry.seq;
    }
  }
  return 0;
}

/** Lets the oldest files but the first go. */
function trim(folder: string, most: number): void {
  const [, ...later] = filesIn(folder);
  for (const name of later.slice(0, Math.max(0, later.length + 1 - most))) rmSync(join(folder, name), { force: true });
}

function tailOf(folder: string, bytes: number): string[] {
  const found: string[] = [];
  let left = bytes;
  for (const name of filesIn(folder).reverse()) {
    for (const line of linesIn(folder, name).reverse()) {
      left -= Buffer.byteLength(line) + 1;
      if (left < 0) return found.reverse();
      found.push(line);
    }
  }
  return found.reverse();
}

/** Opens (or makes) the transcript in `folder`. Throws where the volume can't be written. */
export function openStore(folder: string, limits: Limits = LIMITS): Store {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lastSeq = lastSeqIn(folder);
  let file: number | undefined;
  let size = 0;
  const open = (name: string) => {
    if (file !== undefined) closeSync(file);
    file = openSync(join(folder, name), 'a', 0o600);
    size = fstatSync(file).size;
    return file;
  };
  const last = filesIn(folder).at(-1);
  // What a kill has torn ends here, so that the next line is whole.
  if (last !== undefined) size += writeSync(open(last), '\n');
  return {
    lastSeq,
    tail: (bytes) => tailOf(folder, bytes),
    append(seq, line) {
      const bytes = Buffer.from(`${line}\n`);
      if (file === undefined || size + bytes.length > limits.fileBytes) {
        open(nameOf(seq));
        trim(folder, limits.files);
      }
      try {
        size += writeSync(file ?? open(nameOf(seq)), bytes);
      } catch (error) {
        // Half a line may stand there: what comes next begins a file of its own.
        size = limits.fileBytes;
        throw error;
      }
    },
  };
}

/** The store in `folder`, or none where that can't be written: the journal, which can't do without, says why. */
export function storeIn(folder: string): Store | undefined {
  try {
    return openStore(folder);
  } catch {
    return undefined;
  }
}
