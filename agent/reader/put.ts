/**
 * Puts the parts of one Session onto the volume of another that has not begun yet. Links come last, so that nothing is
 * ever written through one; the journal comes after them, so that what a kill has cut in half counts as nothing.
 */
import { closeSync, constants, existsSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FOLDERS, JOURNAL, TRANSCRIPT } from '../../lib/archive/layout.ts';
import type { TarEntry } from '../../lib/archive/tar-write.ts';
import { openStore } from '../transcript/store.ts';
import { openTranscript } from '../transcript/transcript.ts';
import { goOnFrom } from './journal.ts';
import type { Place } from './printer.ts';

type Body = AsyncIterable<Buffer> | Iterable<Buffer>;

export interface Target {
  put(entry: TarEntry, body: Body): Promise<void>;
  /** All is there: the conversation of Session `from` goes on here. */
  finish(from: { name: string; uid: string }): void;
}

const MOST_JOURNAL = 64 * 1024 * 1024;

/** Where an entry goes; `undefined` for one that has no place here. */
function placeOf({ volume, uid }: Place, path: string): string | undefined {
  if (path === TRANSCRIPT) return undefined;
  const [, file] = path.split(`${TRANSCRIPT}/`);
  if (file !== undefined)
    return /^\d{10}\.jsonl$/.test(file) ? join(volume, 'state', uid, 'transcript', file) : undefined;
  const [top = '', ...rest] = path.split('/');
  if (top === 'state') return undefined;
  return join(volume, FOLDERS[top as keyof typeof FOLDERS], ...rest);
}

async function write(path: string, { type, mode }: TarEntry, body: Body): Promise<void> {
  if (type === 'folder') mkdirSync(path, { recursive: true, mode: (mode & 0o777) | 0o700 });
  else await writeFile(path, mode, body);
}

async function writeFile(path: string, mode: number, body: Body): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, (mode & 0o777) | 0o600);
  try {
    for await (const piece of body) for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
  } finally {
    closeSync(file);
  }
}

async function textOf(body: Body): Promise<string> {
  const all: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MOST_JOURNAL) throw new Error('the journal is too large to be taken over');
    all.push(piece);
  }
  return Buffer.concat(all).toString('utf8');
}

/** The volume of a Session that has not begun. Throws where it has. */
export function openTarget(place: Place): Target {
  const state = join(place.volume, 'state', place.uid);
  if (existsSync(state)) throw new Error('this Session has begun already, and nothing is put into its volume');
  const links: { path: string; target: string }[] = [];
  let journal = '';
  return {
    async put(entry, body) {
      const path = placeOf(place, entry.path);
      if (entry.path === JOURNAL) journal = await textOf(body);
      else if (path && entry.type === 'link') links.push({ path, target: entry.target ?? '' });
      else if (path) await write(path, entry, body);
    },
    finish(from) {
      for (const { path, target } of links) {
        mkdirSync(dirname(path), { recursive: true });
        symlinkSync(target, path);
      }
      noteImport(state, from);
      goOnFrom(journal, state);
    },
  };
}

function noteImport(state: string, { name, uid }: { name: string; uid: string }): void {
  const store = openStore(join(state, 'transcript'));
  const transcript = openTranscript({ store, print: () => {}, now: () => new Date(), secrets: [] });
  transcript.tell({ type: 'imported', session: name, uid });
}
