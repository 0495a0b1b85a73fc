/**
 * Pushing, for the tools: the agent's commits are brought here and looked at, and what was looked at is pushed, whatever
 * the agent has done since. What this Session pushed is remembered on the volume before it is pushed, so that after a
 * kill it is known as its own.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Identity, PushedRepository } from '../env.ts';
import { credentialsFor } from '../git/credentials.ts';
import { branchOf } from '../git/names.ts';
import { openJsonLines } from '../json-lines.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { describeWork, type Work } from './describe.ts';
import { footingOf } from './footing.ts';
import { type OwnRepository, takeIn } from './own-repository.ts';
import { receiveBundle } from './receive.ts';
import { chooseTarget, pushTo, type RemoteState, readRemote, type Target } from './remote.ts';

export interface Prepared {
  work: Work;
  target: Target;
  remote: RemoteState;
  /** Whether the branch is what would be pushed already. */
  isDone: boolean;
}

export interface Push {
  repository: PushedRepository;
  /** Looks at the agent's HEAD. Throws `PushRefusal`, `BundleError`, `CredentialsError` or `GitError`. */
  prepare(signal: AbortSignal): Promise<Prepared>;
  /** Pushes what was prepared. Throws `GitError`. */
  carryOut(prepared: Prepared, signal: AbortSignal): Promise<void>;
  /** The token for the API of the host. Throws where the Secret has none. */
  token(): string;
}

/** There is nothing that could be pushed, in words. */
export class PushRefusal extends Error {
  override name = 'PushRefusal';
}

export interface PushOptions {
  identity: Identity;
  repository: PushedRepository;
  /** The mounted Secret to push with. */
  credentials: string;
  /** Where programs are found. */
  path: string;
  /** A folder in memory or on a volume that the agent does not have; the private key is copied there. */
  temporary: string;
}

const pushed = z.object({ branch: z.string(), commit: z.string() });

/** Branches for the Session, the preferred one first; the other is for a name that somebody used before. */
const candidatesOf = (identity: Identity): string[] => {
  const branch = branchOf(identity);
  return [branch, `${branch}-${identity.sessionUid.slice(0, 8)}`];
};

/** Pushing for one Session. */
export function makePush({ identity, repository, credentials, path, temporary }: PushOptions): Push {
  const folder = join(identity.state, identity.sessionUid, 'push');
  mkdirSync(folder, { recursive: true });
  const memory = openJsonLines(join(folder, 'pushed.jsonl'), pushed);
  const isOurs = (branch: string, commit: string | undefined) =>
    memory.records.some((record) => record.branch === branch && record.commit === commit);
  const own = (signal: AbortSignal): OwnRepository => ({
    folder: join(folder, 'repository.git'),
    url: repository.url,
    env: credentialsFor({ url: repository.url, secret: credentials, privateFolder: temporary, path }),
    signal,
  });
  const inTurn = oneAtATime();
  const candidates = candidatesOf(identity);
  const prepare = async (signal: AbortSignal): Promise<Prepared> => {
    const there = own(signal);
    const remote = await readRemote(there, candidates, repository.ref);
    const received = await receiveBundle(join(identity.run, 'bundle.sock'), join(folder, 'incoming.pack'), signal);
    await takeIn(there, received);
    const { head } = received;
    const target = await chooseTarget(there, { head, candidates, tips: remote.tips }, isOurs);
    if (!target)
      throw new PushRefusal(
        `the branches ${candidates.join(' and ')} of ${repository.url} have commits that are not this Session's; somebody has to rename or delete one of them`,
      );
    const work = await describeWork(there, head, await footingOf(there, received, remote));
    return { work, target, remote, isDone: target.replaces === head };
  };
  return {
    repository,
    prepare: (signal) => inTurn(() => prepare(signal)),
    carryOut: ({ work, target }, signal) =>
      inTurn(async () => {
        if (!isOurs(target.branch, work.head)) memory.append({ branch: target.branch, commit: work.head });
        await pushTo(own(signal), work.head, target);
      }),
    token: () => readToken(credentials),
  };
}

function readToken(credentials: string): string {
  for (const key of ['token', 'password'])
    try {
      return readFileSync(join(credentials, key), 'utf8').trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  throw new PushRefusal('the Secret of spec.repository.push has neither the key "token" nor "password" for the API');
}
