/**
 * Puts the repository into the workspace. Everything happens in a temporary folder beside the final one, which is
 * then renamed: a clone that a kill cut in half is thrown away and begun anew, and one that is there is whole. In one
 * that is there no git is run: the agent may have configured it since, and here are credentials.
 */
import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRefusal } from '../../lib/api/repository-url.ts';
import { syncFolder } from '../json-lines.ts';
import { CloneRefusal } from './clone-refusal.ts';
import { GitError, git } from './git.ts';
import { fetchLargeFiles } from './lfs.ts';
import { type CloneOutcome, readOutcome, writeOutcome } from './outcome.ts';
import { cloneSubmodules } from './submodules.ts';

export interface CloneRequest {
  url: string;
  ref?: string | undefined;
  /** How many commits of history; 0 is all. */
  depth: number;
  submodules?: boolean | undefined;
  /** The branch that the agent works on. */
  branch: string;
  /** Who commits. */
  identity: Author;
  /** The folder that the clone's folder is made in. */
  workspace: string;
  /** git's environment, with its credentials. */
  env: Record<string, string>;
  signal?: AbortSignal;
}

export interface Author {
  name: string;
  email: string;
}

type Made = Extract<CloneOutcome, { branch: string }>;

/** The agent's working folder. */
export const repositoryFolder = (workspace: string): string => join(workspace, 'repo');

/** Whether there is a clone, whole; or something that the agent has put in its place. */
export const isCloned = (workspace: string): boolean => isThere(repositoryFolder(workspace));

/** Clones unless that is done already. Throws `CloneRefusal` or `GitError`. */
export async function clone(request: CloneRequest): Promise<Made> {
  const folder = repositoryFolder(request.workspace);
  if (isCloned(request.workspace)) return beforehand(request);
  if (repositoryRefusal(request.url)) {
    throw new CloneRefusal(
      `the repository ${request.url} is refused: it is no plain HTTPS, HTTP or SSH URL, or names a metadata address`,
    );
  }
  const half = join(request.workspace, '.cloning');
  rmSync(half, { recursive: true, force: true });
  mkdirSync(request.workspace, { recursive: true });
  await fetch(request, half);
  const base = await branchOff(half, request);
  const note = await complete(request, half);
  const made: Made = { branch: request.branch, base, ...(note && { note }) };
  writeOutcome(request.workspace, made);
  renameSync(half, folder);
  syncFolder(request.workspace);
  return made;
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function beforehand({ workspace }: CloneRequest): Made {
  const told = readOutcome(workspace);
  if (told && 'branch' in told) return told;
  throw new CloneRefusal(
    'the volume holds a clone, but what is known of it is gone; make the Session again, or remove the folder repo',
  );
}

const isCommit = (ref: string | undefined): ref is string => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(ref ?? '');

const optionsOf = ({ env, signal }: CloneRequest, cwd?: string) => ({
  env: { ...env, GIT_LFS_SKIP_SMUDGE: '1' },
  ...(cwd !== undefined && { cwd }),
  ...(signal && { signal }),
});

async function fetch(request: CloneRequest, folder: string): Promise<void> {
  const { url, ref, depth } = request;
  const limit = depth > 0 ? [`--depth=${depth}`] : [];
  const which = isCommit(ref) ? ['--no-checkout'] : ref === undefined ? [] : [`--branch=${ref}`];
  await git(['clone', '--quiet', ...limit, ...which, '--', url, folder], optionsOf(request));
  if (isCommit(ref)) await git(['fetch', '--quiet', ...limit, '--', 'origin', ref], optionsOf(request, folder));
}

/** Makes the Session's branch and gives the commit that it starts at. Also for a clone that came with a copied volume. */
export async function branchOff(
  cwd: string,
  { url, ref, branch, identity, env }: Pick<CloneRequest, 'url' | 'ref' | 'branch' | 'identity' | 'env'>,
): Promise<string> {
  const run = (...args: string[]) => git(args, { cwd, env });
  const start = isCommit(ref) ? `${ref}^{commit}` : 'HEAD^{commit}';
  const base = await run('rev-parse', '--verify', '--quiet', start).catch((error) => {
    if (!(error instanceof GitError)) throw error;
    throw new CloneRefusal(`the repository ${url} has no commit yet; push a first commit, then make the Session again`);
  });
  await run('checkout', '--quiet', '-B', branch, base.trim());
  await run('config', 'user.name', identity.name);
  await run('config', 'user.email', identity.email);
  return base.trim();
}

/** What a checkout lacks: submodules, large files. */
async function complete(request: CloneRequest, folder: string): Promise<string | undefined> {
  if (request.submodules) await cloneSubmodules(folder, request.depth, { options: optionsOf(request) });
  return fetchLargeFiles(optionsOf(request, folder));
}
