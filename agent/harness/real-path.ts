/** A path with its links followed as far as it exists: where a new file would be. */
import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Place } from './approvals.ts';

/** The clone in the volume's workspace: where an agent may be let work unasked. */
export const cloneIn = (workspace: string): Place => ({
  folder: join(workspace, 'repo'),
  real: (path) => realPath(path),
});

/** Links to links that are followed; a circle ends here. */
const MOST_LINKS = 40;

/** `path` as the file system has it; the root where that can't be told. */
function realPath(path: string, links = MOST_LINKS): string {
  try {
    return realpathSync(path);
  } catch {
    return links === 0 ? '/' : realOfMissing(path, links);
  }
}

function realOfMissing(path: string, links: number): string {
  const folder = dirname(path);
  const target = linkAt(path);
  if (target !== undefined) return realPath(resolve(folder, target), links - 1);
  return folder === path ? path : join(realPath(folder, links), basename(path));
}

/** Where a link leads that leads to nothing yet. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
