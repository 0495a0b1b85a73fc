/**
 * What the work stands on. The bundle says it, and so the agent does; that the remote has such a commit proves little, since
 * a host serves what anybody put into a fork or a pull request. Only what is part of a branch that the Session was
 * given counts as known; else the whole difference to that branch is shown.
 */
import { git } from '../git/git.ts';
import { hasCommit, type OwnRepository, optionsOf, succeeds } from './own-repository.ts';
import type { RemoteState } from './remote.ts';

export interface Footing {
  /** What the difference is shown to. */
  base: string;
  /** Commits that need not be shown. */
  known: string[];
  /** Commits that the work stands on and that are on no branch that is known. */
  foreign: string[];
}

/** How far back a branch is looked at, in commits, one step after the other. */
const DEPTHS = [64, 1024];

const isPartOf = async (own: OwnRepository, commit: string, tip: string): Promise<boolean> =>
  (await hasCommit(own, tip)) && succeeds(git(['merge-base', '--is-ancestor', commit, tip], optionsOf(own)));

async function deepen(own: OwnRepository, tip: string, depth: number): Promise<void> {
  const options = ['--quiet', `--depth=${depth}`, '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  await git(['fetch', ...options, '--', own.url, tip], optionsOf(own));
}

async function onBranch(own: OwnRepository, commit: string, tip: string): Promise<boolean> {
  if (commit === tip || (await isPartOf(own, commit, tip))) return true;
  for (const depth of DEPTHS) {
    await deepen(own, tip, depth);
    if (await isPartOf(own, commit, tip)) return true;
  }
  return false;
}

/** The tips that are known: what the Session was made from, and the remote's default branch. */
const tipsOf = ({ start, head }: RemoteState): string[] => [
  ...new Set([start, head].filter((tip) => tip !== undefined)),
];

async function isKnown(own: OwnRepository, commit: string, tips: readonly string[]): Promise<boolean> {
  for (const tip of tips) if (await onBranch(own, commit, tip)) return true;
  return false;
}

interface Standing {
  head: string;
  /** Commits that the bundle says it stands on. */
  prerequisites: readonly string[];
}

/**
 * The newest commit of the known branches that is part of the work, whatever the bundle says: to an older one, work that
 * merges the branch and undoes what it has would look like a small change.
 */
async function sharedBy(own: OwnRepository, head: string, tips: readonly string[]): Promise<string | undefined> {
  const shared = tips.map((tip) => git(['merge-base', head, tip], optionsOf(own)).catch(() => ''));
  const found = (await Promise.all(shared)).map((commit) => commit.trim()).filter(Boolean);
  if (found.length < 2) return found[0];
  return (await git(['merge-base', '--independent', ...found], optionsOf(own))).split('\n')[0];
}

/** Where the work begins. Throws `GitError`. */
export async function footingOf(
  own: OwnRepository,
  { head, prerequisites }: Standing,
  remote: RemoteState,
): Promise<Footing> {
  const tips = tipsOf(remote);
  const known: string[] = [];
  const foreign: string[] = [];
  for (const commit of prerequisites) ((await isKnown(own, commit, tips)) ? known : foreign).push(commit);
  const shared = await sharedBy(own, head, tips);
  if (foreign.length === 0 && shared !== undefined) return { base: shared, known: [...known, shared], foreign };
  const [tip = EMPTY_TREE] = tips;
  if (tip !== EMPTY_TREE && !(await hasCommit(own, tip))) await deepen(own, tip, 1);
  return { base: tip, known, foreign };
}

/** git's name of a tree with nothing in it. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
