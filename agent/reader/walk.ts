/**
 * What lies in a folder of a volume, deep, in the order of names. Links are told as links and never followed: whoever
 * wrote them, an agent, may have pointed them anywhere.
 */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { staysInside } from '../../lib/archive/layout.ts';
import type { TarEntry } from '../../lib/archive/tar-write.ts';

export interface Found {
  entry: TarEntry;
  /** Where it lies. */
  file: string;
}

export interface Walking {
  /** Where the folder lies. */
  folder: string;
  /** Its name in an archive. */
  name: string;
  /** Whether what is at a path below the folder is passed over. */
  leave: (path: string) => boolean;
  /** Told of each thing that is passed over. */
  left: () => void;
}

function entryAt(file: string, path: string): TarEntry | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const mode = found && found.mode & 0o777;
  if (found?.isDirectory()) return { path, type: 'folder', mode: mode ?? 0, size: 0 };
  if (found?.isFile()) return { path, type: 'file', mode: mode ?? 0, size: found.size };
  if (!found?.isSymbolicLink()) return undefined;
  const target = readlinkSync(file);
  return staysInside(path, target) ? { path, type: 'link', mode: 0o777, size: 0, target } : undefined;
}

/** All that is there, the folder itself first; nothing where there is none. */
export function* walk({ folder, name, leave, left }: Walking, below = ''): Generator<Found> {
  const file = join(folder, below);
  const entry = below !== '' && leave(below) ? undefined : entryAt(file, join(name, below));
  if (!entry) return left();
  yield { entry, file };
  if (entry.type !== 'folder') return;
  for (const child of readdirSync(file).sort()) yield* walk({ folder, name, leave, left }, join(below, child));
}
