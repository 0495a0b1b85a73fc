/**
 * What an archive of a Session holds, and what is refused of one that comes from elsewhere. `tiny.json` stands first and
 * says whose it is; `end.json` stands last and sums up what is between, so that one that was cut or changed is known. Pure.
 */
import { posix } from 'node:path';
import { z } from 'zod';
import { ArchiveError } from './tar-read.ts';
import type { TarEntry } from './tar-write.ts';

export const MANIFEST = 'tiny.json';
export const END = 'end.json';

/** Folders of an archive, and where each lies on a volume, below it. */
export const FOLDERS = { workspace: 'repo', home: 'home', state: 'state' } as const;

/** Where the Session's journal and its transcript are in an archive. */
export const JOURNAL = 'state/journal.jsonl';
export const TRANSCRIPT = 'state/transcript';

/** The largest archive that is taken, unpacked, and its most entries. */
export const MOST_BYTES = 8 * 1024 ** 3;
export const MOST_ENTRIES = 1_000_000;

export const manifest = z.object({
  format: z.literal('tiny.dev/session-archive'),
  version: z.literal(1),
  // Both are printed.
  session: z.object({
    name: z.string().regex(/^[a-z0-9][-a-z0-9.]{0,252}$/),
    uid: z.string().regex(/^[0-9a-zA-Z-]{1,64}$/),
  }),
  /** RFC 3339. */
  at: z.string().max(64),
  /** What a Session that goes on from it takes over where it is not told otherwise. */
  spec: z.object({
    agent: z.object({ name: z.string().max(63), model: z.string().max(256).optional() }),
    repository: z.object({ url: z.string().max(2048), ref: z.string().max(255).optional() }).optional(),
    storage: z.object({ size: z.string().max(32) }).optional(),
  }),
});
export type Manifest = z.infer<typeof manifest>;

export const end = z.object({
  /** Before this one, the manifest not counted. */
  entries: z.int(),
  /** Of each of them its path, type and content, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** What was left out: links that point elsewhere, sockets, credentials, caches. */
  left: z.int(),
});
export type End = z.infer<typeof end>;

const isPlain = (path: string): boolean =>
  path !== '' &&
  path.length <= 4096 &&
  !path.includes('\0') &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.length <= 255);

/** Whether a link stays in the folder of the archive that it is in. */
export function staysInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return false;
  const [top = ''] = path.split('/');
  const leads = posix.join(posix.dirname(path), target);
  return leads === top || leads.startsWith(`${top}/`);
}

/** Throws `ArchiveError` for an entry that may not be unpacked. */
export function checkEntry({ path, type, target = '' }: TarEntry): void {
  if (!isPlain(path)) throw new ArchiveError(`the archive has a path that leads elsewhere: ${JSON.stringify(path)}`);
  const [top = ''] = path.split('/');
  if (!(top in FOLDERS))
    throw new ArchiveError(`the archive has an entry that is no part of a Session: ${JSON.stringify(path)}`);
  if (type === 'link' && !staysInside(path, target)) {
    throw new ArchiveError(
      `the archive has a link that points elsewhere: ${JSON.stringify(path)} → ${JSON.stringify(target)}`,
    );
  }
}
