/** The values of mounted Secrets, so that they can be taken out of what leaves the pod. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The largest file that is read, in bytes: the API server keeps no larger Secret. */
const MAX_BYTES = 1024 * 1024;

/**
 * What the files of mounted Secrets hold, in `folder` and the folders in it. The kubelet keeps the files in a folder
 * whose name begins with two dots, and links to them: those are read once, by their names.
 */
export function readSecrets(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith('..'));
  return names.flatMap((name) => readOne(join(folder, name)));
}

function readOne(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return readSecrets(path);
  return found?.isFile() && found.size <= MAX_BYTES ? [readFileSync(path, 'utf8')] : [];
}
