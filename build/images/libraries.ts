/** Programs of this machine with the shared libraries that they need, as entries of an image with a merged /usr. */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Entry } from './tar.ts';

/** /bin, /lib, … lead into /usr, as on Debian. */
export const MERGED: Entry[] = ['bin', 'lib', 'lib64', 'sbin'].map((path) => ({
  kind: 'link',
  path,
  target: `usr/${path}`,
}));

/** Where `file` is in an image: `/lib/x` is in `/usr/lib`. */
export const placeOf = (file: string): string => file.replace(/^\/(?=(bin|lib|lib64|sbin)\/)/, '/usr/').slice(1);

/** `file` of this machine at `path`; a link is followed. */
export const copied = (file: string, path = placeOf(file)): Entry => ({
  kind: 'file',
  path,
  mode: statSync(file).mode & 0o755,
  content: readFileSync(file),
});

const isElf = (file: string): boolean => readFileSync(file).subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1'));

/** What the loader finds for a program; nothing for a static one or a script. Throws where a library is missing. */
function loaded(program: string): string[] {
  const said = execFileSync('ldd', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const missing = /^\s*(\S+) => not found/m.exec(said)?.[1];
  if (missing) throw new Error(`${program} needs ${missing}, which this machine has not`);
  return [...said.matchAll(/(\/\S+) \(0x/g)].map(([, file = '']) => file);
}

function isDynamic(file: string): boolean {
  try {
    return isElf(file) && loaded(file).length > 0;
  } catch (error) {
    if ((error as { status?: number }).status === 1) return false;
    throw error;
  }
}

/** The shared libraries of all `programs`, each once, by the name that the loader asks for. */
export function librariesOf(programs: readonly string[]): Entry[] {
  const files = new Set(programs.filter(isDynamic).flatMap(loaded));
  const entries = [...files].map((file) =>
    copied(realpathSync(file), placeOf(join(realpathSync(dirname(file)), basename(file)))),
  );
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()];
}
