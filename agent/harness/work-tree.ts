/** What the harness does with the repository: reads how the clone went, and computes the result from what is there. */
import type { HarnessEnv } from '../env.ts';
import { branchOff, repositoryFolder } from '../git/clone.ts';
import { cloneFailure } from '../git/clone-errors.ts';
import { git } from '../git/git.ts';
import { authorOf, branchOf } from '../git/names.ts';
import { type CloneOutcome, readOutcome, writeOutcome } from '../git/outcome.ts';
import type { BundleServerOptions } from './bundle-server.ts';
import type { HarnessOptions } from './context.ts';
import { type Journal, progressOf } from './journal.ts';
import { resultOf } from './result.ts';

const NO_OUTCOME =
  'the clone left no word on the volume of what became of it; see the log of the container "clone", then make the Session again';

type Cloned = Awaited<ReturnType<HarnessOptions['clone']>>;
type Repository = NonNullable<HarnessEnv['config']['repository']>;

/** The clone, which was made before this container started. */
export function cloneStep(env: HarnessEnv, log: (line: string) => void): HarnessOptions['clone'] {
  return async () => {
    const { repository } = env.config;
    if (!repository) return { passes: false, message: 'the Session has no repository' };
    const outcome = readOutcome(env.workspace) ?? { refused: NO_OUTCOME };
    if ('refused' in outcome) return { passes: false, message: outcome.refused };
    return outcome.branch === branchOf(env) ? asMade(outcome, log) : takeOver(env, repository, outcome.base);
  };
}

function asMade(
  { branch, base, note }: Extract<CloneOutcome, { branch: string }>,
  log: (line: string) => void,
): Cloned {
  if (note !== undefined) log(note);
  return { branch, base };
}

/**
 * A volume that was filled from another Session's holds that one's branch: ours is made from where it stands. The work still
 * begins where the other's did, since the remote may have nothing of it.
 */
async function takeOver(env: HarnessEnv, repository: Repository, before: string): Promise<Cloned> {
  const branch = branchOf(env);
  const identity = authorOf({ ...env, repository });
  const folder = repositoryFolder(env.workspace);
  try {
    const head = await branchOff(folder, { url: repository.url, ref: undefined, branch, identity, env: env.inherited });
    const base = (await hasCommit(folder, before, env.inherited)) ? before : head;
    writeOutcome(env.workspace, { branch, base });
    return { branch, base };
  } catch (error) {
    return cloneFailure(error, repository);
  }
}

const hasCommit = (cwd: string, commit: string, env: Record<string, string>): Promise<boolean> =>
  git(['cat-file', '-e', `${commit}^{commit}`], { cwd, env }).then(
    () => true,
    () => false,
  );

/** What the tools may have of the agent's commits. */
export const bundlesOf = (env: HarnessEnv, journal: Journal): BundleServerOptions => ({
  run: env.run,
  folder: repositoryFolder(env.workspace),
  base: () => progressOf(journal.records).cloned?.base,
  env: env.inherited,
});

/** How the result is computed from what the journal holds. */
export function resultStep(env: HarnessEnv, journal: Journal): HarnessOptions['result'] {
  return () => {
    const { cloned, last } = progressOf(journal.records);
    const folder = repositoryFolder(env.workspace);
    return resultOf({ folder, base: cloned?.base, summary: last?.summary ?? '', env: env.inherited });
  };
}
