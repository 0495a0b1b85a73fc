/** The remote: what it has, which branch the work goes to, and the push itself. */
import { GitError, git } from '../git/git.ts';
import { hasCommit, type OwnRepository, optionsOf, succeeds } from './own-repository.ts';

export interface RemoteState {
  /** Branch to commit, of the branches that were asked for. */
  tips: Map<string, string>;
  /** The branch that the remote's HEAD names. */
  defaultBranch: string | undefined;
  /** The commit that the remote's HEAD is. */
  head: string | undefined;
  /** The commit that the Session's ref is, a branch, a tag or a commit; that of HEAD where it has none. */
  start: string | undefined;
}

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';
const isCommit = (ref: string | undefined): ref is string => /^[0-9a-f]{40}$/.test(ref ?? '');

/** Asks the remote. Throws `GitError`. */
export async function readRemote(
  own: OwnRepository,
  branches: readonly string[],
  ref: string | undefined,
): Promise<RemoteState> {
  const asked = ref === undefined ? [] : [HEADS + ref, TAGS + ref, `${TAGS}${ref}^{}`];
  const refs = [...branches.map((branch) => HEADS + branch), ...asked];
  const text = await git(['ls-remote', '--symref', '--', own.url, 'HEAD', ...refs], { env: own.env });
  const lines = text.split('\n').map((line) => line.split('\t') as [string, string?]);
  const symref = lines.find(([value, name]) => name === 'HEAD' && value.startsWith('ref: '))?.[0];
  const found = new Map(lines.flatMap(([value, name]) => (name && isCommit(value) ? [[name, value] as const] : [])));
  const tips = [...found].filter(([name]) => name.startsWith(HEADS) && refs.includes(name));
  const head = found.get('HEAD');
  const tag = found.get(`${TAGS}${ref}^{}`) ?? found.get(TAGS + ref);
  return {
    tips: new Map(tips.map(([name, commit]) => [name.slice(HEADS.length), commit])),
    defaultBranch: symref?.slice(`ref: ${HEADS}`.length),
    head,
    start: ref === undefined ? head : isCommit(ref) ? ref : (found.get(HEADS + ref) ?? tag),
  };
}

export interface Target {
  branch: string;
  /** What the branch is on the remote now; absent where there is none. */
  replaces: string | undefined;
  /** Whether what the branch is now is left behind. */
  rewrites: boolean;
}

/**
 * The first of `candidates` that is free, is what this Session pushed before (`isOurs`), or is part of the work. A
 * branch with commits that are somebody else's is left alone.
 */
export async function chooseTarget(
  own: OwnRepository,
  { head, candidates, tips }: { head: string; candidates: readonly string[]; tips: Map<string, string> },
  isOurs: (branch: string, commit: string) => boolean,
): Promise<Target | undefined> {
  for (const branch of candidates) {
    const replaces = tips.get(branch);
    const follows = replaces === undefined || (await isPartOf(own, replaces, head));
    if (follows || isOurs(branch, replaces)) return { branch, replaces, rewrites: !follows };
  }
  return undefined;
}

const isPartOf = async (own: OwnRepository, commit: string, head: string): Promise<boolean> =>
  (await hasCommit(own, commit)) &&
  (await succeeds(git(['merge-base', '--is-ancestor', commit, head], optionsOf(own))));

/** Sets the branch to exactly `head`, if the branch is still what was looked at. Throws `GitError`. */
export async function pushTo(own: OwnRepository, head: string, { branch, replaces = '' }: Target): Promise<void> {
  const ref = HEADS + branch;
  const options = ['--quiet', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'];
  await git(
    ['push', ...options, `--force-with-lease=${ref}:${replaces}`, '--', own.url, `${head}:${ref}`],
    optionsOf(own),
  );
}

const ADVICE: [pattern: RegExp, words: string][] = [
  [/stale info/i, 'the branch has changed on the remote since it was looked at; push again'],
  [
    /authentication failed|could not read (username|password)|permission|denied|error: 40[13]/i,
    'the remote refuses the credentials in the Secret of spec.repository.push; they need the right to write to the repository',
  ],
  [/protected branch|pre-receive hook declined|hook declined|rejected/i, 'the remote refuses the commits'],
  [/host key verification failed/i, 'the SSH server does not have the key that is expected of it'],
  [
    /not our ref|unadvertised object|couldn't find remote ref/i,
    'the work stands on commits that the remote does not have',
  ],
  [
    /could not resolve host|connection refused|failed to connect|timed out|connection reset|error: 5\d\d|unable to access/i,
    'the remote can not be reached',
  ],
  [
    /unresolved delta|bad object|did not receive expected object|fsck|pack exceeds/i,
    'the commits are not whole, or not sound',
  ],
];

/** What a failure of git means, with git's own words. */
export function pushFailure(error: unknown): string {
  if (!(error instanceof GitError)) return (error as Error).message;
  const said = error.stderr.trim();
  const words = ADVICE.find(([pattern]) => pattern.test(said))?.[1] ?? 'git failed';
  return `${words} (git: ${said.slice(-1000)})`;
}
