/**
 * What stands in the commits of a piece of work and not in its difference: what one of them has added and a later one taken
 * out again. It is pushed, too, and whoever can read the branch can read it.
 */
import { type GitOptions, git } from '../git/git.ts';

/** No program that a repository names is run, and the same is told in the same words however much else there is. */
export const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--full-index'];
/** More lines than anybody would read. Characters. */
const MAX_LIST = 1_000_000;

/** How many lines of each file are added and taken out; of one that is no text, how often it changes. */
function changesIn(numstat: string): Map<string, string> {
  const sums = new Map<string, [number, number, number]>();
  for (const line of numstat.split('\0').filter(Boolean)) {
    const [added = '', taken = '', ...path] = line.trim().split('\t');
    const [a, t, binary] = sums.get(path.join('\t')) ?? [0, 0, 0];
    const isText = added !== '-';
    sums.set(path.join('\t'), isText ? [a + Number(added), t + Number(taken), binary] : [a, t, binary + 1]);
  }
  return new Map([...sums].map(([path, sum]) => [path, sum.join(' ')]));
}

const same = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([path, sum]) => b.get(path) === sum);

interface Between {
  base: string;
  head: string;
  /** The commits, as git is told of them. */
  beyond: readonly string[];
  /** The most characters that can be shown. */
  limit: number;
}

/**
 * The changes commit by commit, where they hold more than the difference; `''` where they don't, `undefined` where they
 * are too long. Throws `GitError`.
 */
export async function historyOf(
  options: GitOptions,
  { base, head, beyond, limit }: Between,
): Promise<string | undefined> {
  const ask = (args: string[], most: number) => git(args, { ...options, limit: most });
  const [each, whole] = await Promise.all([
    ask(['log', '-z', ...PLAIN, '--format=', '--numstat', ...beyond], MAX_LIST),
    ask(['diff', '-z', ...PLAIN, '--numstat', base, head, '--'], MAX_LIST),
  ]);
  if (same(changesIn(each), changesIn(whole))) return '';
  const text = await ask(
    ['log', '--reverse', ...PLAIN, '--patch', '--cc', '--format=commit %H: %s', ...beyond],
    limit + 1,
  );
  return text.length > limit ? undefined : text.toWellFormed();
}
