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
  name: string;
  path: string;
  url: string;
}

const KEYS = '^submodule\\..*\\.(path|url)$';

/** `submodule.NAME.KEY` to value, by name; what git prints with -z is `key\nvalue\0`. */
async function namedIn(folder: string, file: readonly string[], options: GitOptions): Promise<Submodule[]> {
  const listed = await git(['config', '-z', ...file, '--get-regexp', KEYS], { ...options, cwd: folder }).catch(
    () => '',
  );
  const values = new Map<string, Partial<Submodule>>();
  for (const line of listed.split('\0').filter(Boolean)) {
    const [, name = '', key = '', value = ''] = /^submodule\.([\s\S]*)\.(path|url)\n([\s\S]*)$/.exec(line) ?? [];
    values.set(name, { ...values.get(name), [key]: value });
  }
  return [...values].map(([name, { path = '', url = '' }]) => ({ name, path, url }));
}

function judge(submodules: readonly Submodule[]): void {
  const forbidden = submodules.find(({ url }) => repositoryRefusal(url));
  if (forbidden)
    throw new CloneRefusal(
      `the submodule ${forbidden.path || forbidden.name} is refused: its address ${forbidden.url} is no plain HTTPS, HTTP or SSH URL, or names a metadata address`,
    );
}

/** Clones the submodules of `folder` and theirs. Throws `CloneRefusal` or `GitError`. */
export async function cloneSubmodules(
  folder: string,
  depth: number,
  { options, level = 1 }: { options: GitOptions; level?: number },
): Promise<void> {
  if (!existsSync(join(folder, '.gitmodules'))) return;
  const submodules = await namedIn(folder, ['--file', '.gitmodules'], options);
  if (submodules.length === 0) return;
  if (level > DEEPEST) throw new CloneRefusal(`submodules are nested more than ${DEEPEST} levels deep`);
  judge(submodules.filter(({ url }) => !isRelative(url)));
  const run = (...args: string[]) => git(['submodule', '--quiet', ...args], { ...options, cwd: folder });
  // A relative address may climb above the host of the repository: what git makes of it is judged, too.
  await run('init');
  judge(await namedIn(folder, ['--local'], options));
  const limit = depth > 0 ? [`--depth=${depth}`] : [];
  await run('update', ...limit);
  for (const { path } of submodules) {
    const inner = join(folder, path);
    if (existsSync(join(inner, '.git'))) await cloneSubmodules(inner, depth, { options, level: level + 1 });
  }
}
