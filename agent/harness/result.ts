/** What came of a Session, computed by git from the clone itself; the agent's word is only the summary. */
import type { Session } from '../../lib/api/session.ts';
import { cut } from '../cut.ts';
import { git } from '../git/git.ts';

type Result = NonNullable<NonNullable<Session['status']>['result']>;

export interface ResultRequest {
  folder: string;
  /** The commit that the branch started at; absent where there is no repository. */
  base: string | undefined;
  summary: string;
  env: Record<string, string>;
}

/** The longest summary, in code points: half of the schema's 4096, since one may count twice. */
const MAX_SUMMARY = 2048;

/** The result. What git can't tell, because the agent broke the clone, is left out. */
export async function resultOf({ folder, base, summary, env }: ResultRequest): Promise<Result> {
  const said = summary.trim() === '' ? {} : { summary: [...summary.trim()].slice(-MAX_SUMMARY).join('') };
  if (base === undefined) return said;
  const ask = (...args: string[]) => git(args, { cwd: folder, env }).catch(() => undefined);
  const [branch, head, count, changed] = await Promise.all([
    ask('rev-parse', '--abbrev-ref', 'HEAD'),
    ask('rev-parse', 'HEAD'),
    ask('rev-list', '--count', `${base}..HEAD`),
    ask('diff', '--name-only', '-z', base, 'HEAD', '--'),
  ]);
  const commits = count === undefined ? undefined : Number(count);
  return {
    ...said,
    ...(branch !== undefined && { branch: cut(branch.trim(), 255) }),
    ...(head !== undefined && commits !== 0 && { commit: head.trim() }),
    ...(commits !== undefined && { commits }),
    ...(changed !== undefined && { filesChanged: changed.split('\0').filter(Boolean).length }),
  };
}
