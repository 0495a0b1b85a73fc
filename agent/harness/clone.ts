/**
 * Puts the repository into the workspace. Everything happens in a temporary folder beside the final one, which is
 * then renamed: a clone that a kill cut in half is thrown away and begun anew, and one that is there is whole.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRefusal } from '../../lib/api/repository-url.ts';
import { syncFolder } from '../json-lines.ts';
import { type GitCredentials, git } from './git.ts';

export interface CloneRequest {
  url: string;
  ref?: string | undefined;
  /** How many commits of history; 0 is all. */
  depth: number;
  /** The branch that the agent works on. */
  branch: string;
  /** Who commits. */
  identity: { name: string; email: string };
  /** The folder that the clone's folder is made in. */
  workspace: string;
  credentials: GitCredentials;
  env: Record<string, string>;
  signal?: AbortSignal;
}

/** The repository can't be worked on, for a reason that only a person can change. */
export class CloneRefusal extends Error {
  override name = 'CloneRefusal';
}

/** The agent's working folder. */
export const repositoryFolder = (workspace: string): string => join(workspace, 'repo');

/** Clones unless that is done already, and gives the commit that the branch starts at. Throws `CloneRefusal` or `GitError`. */
export async function clone(request: CloneRequest): Promise<{ base: string }> {
  const folder = repositoryFolder(request.workspace);
  if (!existsSync(folder)) await cloneAnew(request, folder);
  else if (!(await isOurs(request, folder))) await prepare({ ...request, ref: undefined }, folder);
  const base = await git(['config', '--get', 'tiny.base'], { cwd: folder, env: request.env });
  return { base: base.trim() };
}

/** A volume that was filled from another Session's holds a clone with that one's branch. */
async function isOurs({ branch, env }: CloneRequest, cwd: string): Promise<boolean> {
  const made = await git(['config', '--get', 'tiny.branch'], { cwd, env }).catch(() => '');
  return made.trim() === branch;
}

async function cloneAnew(request: CloneRequest, folder: string): Promise<void> {
  if (repositoryRefusal(request.url)) {
    throw new CloneRefusal(
      `the repository ${request.url} is refused: it is no plain HTTPS, HTTP or SSH URL, or names a metadata address`,
    );
  }
  const half = join(request.workspace, '.cloning');
  rmSync(half, { recursive: true, force: true });
  mkdirSync(request.workspace, { recursive: true });
  await fetch(request, half);
  await prepare(request, half);
  renameSync(half, folder);
  syncFolder(request.workspace);
}

const isCommit = (ref: string | undefined): ref is string => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(ref ?? '');

async function fetch({ url, ref, depth, credentials, env, signal }: CloneRequest, folder: string): Promise<void> {
  const options = { env: { ...env, ...credentials.env }, ...(signal && { signal }) };
  const limit = depth > 0 ? [`--depth=${depth}`] : [];
  const config = credentials.config.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const which = isCommit(ref) ? ['--no-checkout'] : ref === undefined ? [] : [`--branch=${ref}`];
  await git(['clone', '--quiet', ...limit, ...config, ...which, '--', url, folder], options);
  if (!isCommit(ref)) return;
  await git(['fetch', '--quiet', ...limit, '--', 'origin', ref], { ...options, cwd: folder });
}

async function prepare({ url, ref, branch, identity, env }: CloneRequest, cwd: string): Promise<void> {
  const run = (...args: string[]) => git(args, { cwd, env });
  const base = await run('rev-parse', '--verify', '--quiet', isCommit(ref) ? `${ref}^{commit}` : 'HEAD^{commit}').catch(
    () => {
      throw new CloneRefusal(
        `the repository ${url} has no commit yet; push a first commit, then make the Session again`,
      );
    },
  );
  await run('checkout', '--quiet', '-b', branch, base.trim());
  await run('config', 'user.name', identity.name);
  await run('config', 'user.email', identity.email);
  await run('config', 'tiny.base', base.trim());
  await run('config', 'tiny.branch', branch);
}
