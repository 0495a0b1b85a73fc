/** What pushing would change, for the person who decides: the commits, which files how much, and the difference itself. */
import { git } from '../git/git.ts';
import type { Footing } from './footing.ts';
import { historyOf, PLAIN } from './history.ts';
import { type OwnRepository, optionsOf } from './own-repository.ts';

export interface Work {
  head: string;
  commits: { id: string; author: string; subject: string }[];
  /** How many there are; `commits` ends at `MAX_COMMITS`. */
  count: number;
  /** Files and lines, as `git diff --stat` has them. */
  stat: string;
  /** Commits of others that it stands on and that are on no branch that is known. */
  foreign: string[];
  /** The whole difference; absent where it is too long to be shown. */
  diff: string | undefined;
  /** The changes commit by commit, where they hold more than the difference; empty where not, absent where too long. */
  history: string | undefined;
}

const MAX_COMMITS = 50;
const MAX_STAT = 8192;
/** The longest difference that a Question holds, in characters. */
const MAX_DIFF = 262_144;
/** Characters between the difference and what was in the commits besides. */
const SPACE = 256;

/** What `head` has beyond what is known. Throws `GitError`. */
export async function describeWork(own: OwnRepository, head: string, { base, known, foreign }: Footing): Promise<Work> {
  const beyond = [head, ...known.map((commit) => `^${commit}`), '--'];
  const ask = (args: string[], limit: number) => git(args, { ...optionsOf(own), limit });
  const [log, count, stat, diff] = await Promise.all([
    ask(['log', '-z', `--max-count=${MAX_COMMITS}`, '--format=%H%n%an <%ae>%n%s', ...beyond], 1_000_000),
    ask(['rev-list', '--count', ...beyond], 100),
    ask(['diff', ...PLAIN, '--stat=100', '--stat-count=100', base, head, '--'], MAX_STAT),
    ask(['diff', ...PLAIN, base, head, '--'], MAX_DIFF + 1),
  ]);
  const limit = MAX_DIFF - diff.length - SPACE;
  const history = await historyOf(optionsOf(own), { base, head, beyond, limit: Math.max(0, limit) });
  const commits = log.split('\0').filter(Boolean).map(commitOf);
  return {
    head,
    commits,
    count: Number(count),
    foreign,
    stat: stat.trimEnd(),
    diff: diff.length > MAX_DIFF ? undefined : diff.toWellFormed(),
    history,
  };
}

function commitOf(text: string) {
  const [id = '', author = '', ...subject] = text.split('\n');
  return { id, author, subject: subject.join(' ') };
}
