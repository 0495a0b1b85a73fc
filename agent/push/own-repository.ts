/**
 * The tools' own bare repository, which the agent can't reach: here its commits are looked at and pushed from, with a
 * configuration that is ours alone. What the work stands on is fetched from the remote, so that what is shown is the
 * difference to what the remote has.
 */
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type GitOptions, git } from '../git/git.ts';
import { MAX_BUNDLE, type Received } from './receive.ts';

export interface OwnRepository {
  folder: string;
  /** The remote, from the Session's spec. */
  url: string;
  /** git's environment, with the credentials to push. */
  env: Record<string, string>;
  signal?: AbortSignal;
}

export const optionsOf = ({ folder, env, signal }: OwnRepository): GitOptions => ({
  cwd: folder,
  env,
  ...(signal && { signal }),
});

/** Whether a git command ends well. */
export const succeeds = (command: Promise<string>): Promise<boolean> =>
  command.then(
    () => true,
    () => false,
  );

export const hasCommit = (own: OwnRepository, commit: string): Promise<boolean> =>
  succeeds(git(['cat-file', '-e', `${commit}^{commit}`], optionsOf(own)));

async function fetchMissing(own: OwnRepository, commits: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const commit of commits) if (!(await hasCommit(own, commit))) missing.push(commit);
  if (missing.length === 0) return;
  const options = ['--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  await git(['fetch', ...options, '--', own.url, ...missing], optionsOf(own));
}

/** Takes the commits in. Throws `GitError`: for what the remote does not have, or for a pack that is broken. */
export async function takeIn(own: OwnRepository, { prerequisites, head, pack }: Received): Promise<void> {
  if (!existsSync(join(own.folder, 'HEAD')))
    await git(['init', '--quiet', '--bare', '--template=', own.folder], { env: own.env });
  await fetchMissing(own, prerequisites);
  const stdin = openSync(pack, 'r');
  try {
    const checks = ['--fix-thin', '--strict', `--max-input-size=${MAX_BUNDLE}`];
    await git(['index-pack', '--stdin', ...checks], { ...optionsOf(own), stdin });
  } finally {
    closeSync(stdin);
    rmSync(pack, { force: true });
  }
  await git(['update-ref', 'refs/tiny/work', `${head}^{commit}`], optionsOf(own));
}
