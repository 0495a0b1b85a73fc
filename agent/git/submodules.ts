/**
 * Submodules, level by level: what a repository names there is its authors' word, so each address is judged as a
 * Session's own before git is sent to it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRefusal } from '../../lib/api/repository-url.ts';
import { CloneRefusal } from './clone-refusal.ts';
import { type GitOptions, git } from './git.ts';

/** Levels of submodules in submodules. */
const DEEPEST = 8;

const isRelative = (url: string): boolean => url.startsWith('./') || url.startsWith('../');

interface Submodule {
  path: string;
  url: string;
}

/** `submodule.NAME.KEY` to value, by name; what git prints with -z is `key\nvalue\0`. */
async function namedIn(folder: string, options: GitOptions): Promise<Submodule[]> {
  if (!existsSync(join(folder, '.gitmodules'))) return [];
  const pattern = '^submodule\\..*\\.(path|url)$';
  const listed = await git(['config', '-z', '--file', '.gitmodules', '--get-regexp', pattern], {
    ...options,
    cwd: folder,
  }).catch(() => '');
  const values = new Map<string, Partial<Submodule>>();
  for (const line of listed.split('\0').filter(Boolean)) {
    const [, name = '', key = '', value = ''] = /^submodule\.([\s\S]*)\.(path|url)\n([\s\S]*)$/.exec(line) ?? [];
    values.set(name, { ...values.get(name), [key]: value });
  }
  return [...values.values()].map(({ path = '', url = '' }) => ({ path, url }));
}

/** Clones the submodules of `folder` and theirs. Throws `CloneRefusal` or `GitError`. */
export async function cloneSubmodules(
  folder: string,
  depth: number,
  { options, level = 1 }: { options: GitOptions; level?: number },
): Promise<void> {
  const submodules = await namedIn(folder, options);
  if (submodules.length === 0) return;
  if (level > DEEPEST) throw new CloneRefusal(`submodules are nested more than ${DEEPEST} levels deep`);
  const forbidden = submodules.find(({ url }) => !isRelative(url) && repositoryRefusal(url));
  if (forbidden)
    throw new CloneRefusal(
      `the submodule ${forbidden.path} is refused: its address ${forbidden.url} is no plain HTTPS, HTTP or SSH URL, or names a metadata address`,
    );
  const limit = depth > 0 ? [`--depth=${depth}`] : [];
  await git(['submodule', '--quiet', 'update', '--init', ...limit], { ...options, cwd: folder });
  for (const { path } of submodules) {
    const inner = join(folder, path);
    if (existsSync(join(inner, '.git'))) await cloneSubmodules(inner, depth, { options, level: level + 1 });
  }
}
