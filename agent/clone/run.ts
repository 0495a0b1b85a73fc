/** Clones, again where it may yet succeed, and leaves on the volume what came of it. */
import type { Clock } from '../../lib/kube/clock.ts';
import type { CloneEnv } from '../env.ts';
import { clone, isCloned } from '../git/clone.ts';
import { cloneFailure } from '../git/clone-errors.ts';
import { CloneRefusal } from '../git/clone-refusal.ts';
import { CredentialsError, credentialsFor } from '../git/credentials.ts';
import { authorOf, branchOf } from '../git/names.ts';
import { type CloneOutcome, readOutcome, writeOutcome } from '../git/outcome.ts';
import { makeRedactor } from '../redact.ts';
import { readSecrets } from '../secrets.ts';

export interface CloneEdges {
  privateFolder: string;
  clock: Clock;
  signal: AbortSignal;
  log: (line: string) => void;
}

/** How often a clone that may yet succeed is tried. */
const TRIES = 4;

/** Clones into the workspace. Throws `signal`'s reason, or where the volume can't be written. */
export async function runClone(env: CloneEnv, edges: CloneEdges): Promise<void> {
  const { signal, log } = edges;
  const redact = makeRedactor(readSecrets(env.gitCredentials));
  log(isCloned(env.workspace) ? 'the clone is there already' : `cloning ${env.repository.url}`);
  const outcome = await persistently(env, edges);
  signal.throwIfAborted();
  if ('branch' in outcome) return log(`cloned: branch ${outcome.branch} starts at ${outcome.base}`);
  const refused = redact(outcome.refused);
  // Another pod of this Session, on a volume that several may mount, may have been faster.
  if (isCloned(env.workspace) && wasMade(readOutcome(env.workspace)))
    return log(`${refused}; but there is a clone by now`);
  writeOutcome(env.workspace, { refused });
  log(refused);
}

const wasMade = (outcome: CloneOutcome | undefined): boolean => outcome !== undefined && 'branch' in outcome;

async function persistently(env: CloneEnv, { privateFolder, clock, signal }: CloneEdges): Promise<CloneOutcome> {
  for (let tries = 1; ; tries += 1) {
    const failure = await attempt(env, privateFolder, signal);
    if ('branch' in failure) return failure;
    signal.throwIfAborted();
    if (!failure.passes || tries === TRIES) return { refused: failure.message };
    await clock.sleep(1000 * 2 ** (tries - 1), signal);
  }
}

async function attempt(env: CloneEnv, privateFolder: string, signal: AbortSignal) {
  const { repository, workspace, gitCredentials: secret, path } = env;
  try {
    const gitEnv = credentialsFor({ url: repository.url, secret, privateFolder, path });
    return await clone({
      ...repository,
      branch: branchOf(env),
      identity: authorOf(env),
      workspace,
      env: gitEnv,
      signal,
    });
  } catch (error) {
    if (error instanceof CloneRefusal || error instanceof CredentialsError)
      return { passes: false, message: error.message };
    return cloneFailure(error, repository);
  }
}
