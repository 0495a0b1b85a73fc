/** Large files: fetched where git-lfs is in the image, and told of where they stay pointers because it is not. */
import { type GitOptions, git } from './git.ts';

const found = (search: Promise<string>): Promise<boolean> =>
  search.then(
    (text) => text.trim() !== '',
    () => false,
  );

/** Fetches what is kept with LFS into a fresh clone; gives what a person should know. Throws `GitError`. */
export async function fetchLargeFiles(options: GitOptions): Promise<string | undefined> {
  const usesLfs = await found(git(['grep', '-lE', 'filter=lfs', 'HEAD', '--', '*.gitattributes'], options));
  if (!usesLfs) return undefined;
  if (!(await found(git(['lfs', 'version'], options))))
    return 'files kept with Git LFS are pointers: the image has no git-lfs';
  await git(['lfs', 'install', '--local', '--skip-smudge'], options);
  await git(['lfs', 'pull'], options);
  return undefined;
}
