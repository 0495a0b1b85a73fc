/** Bare git repositories to clone from. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export const run = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();

/** Makes `<root>/repo.git` with two commits and the branch `side`, and `<root>/empty.git`; gives the first commit. */
export function makeRepositories(root: string): { first: string; head: string } {
  const work = join(root, 'seed');
  mkdirSync(work);
  run(work, 'init', '--quiet', '--initial-branch=main');
  const commit = (message: string) => {
    run(work, 'add', '--all');
    run(work, '-c', 'user.name=seed', '-c', 'user.email=seed@example.com', 'commit', '--quiet', '-m', message);
    return run(work, 'rev-parse', 'HEAD');
  };
  writeFileSync(join(work, 'README.md'), 'one\n');
  const first = commit('One');
  run(work, 'branch', 'side');
  writeFileSync(join(work, 'README.md'), 'one\ntwo\n');
  const head = commit('Two');
  run(root, 'clone', '--quiet', '--bare', 'seed', 'repo.git');
  run(join(root, 'repo.git'), 'config', 'uploadpack.allowReachableSHA1InWant', 'true');
  run(root, 'init', '--quiet', '--bare', 'empty.git');
  return { first, head };
}

/** Makes `<root>/NAME-….git`, one commit with these files; gives its folder's name. */
export function makeRepository(root: string, { name, files }: { name: string; files: Record<string, string> }): string {
  const work = mkdtempSync(join(root, `${name}-`));
  run(work, 'init', '--quiet', '--initial-branch=main');
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(work, dirname(file)), { recursive: true });
    writeFileSync(join(work, file), text);
  }
  run(work, 'add', '--all', '--force');
  run(work, '-c', 'user.name=seed', '-c', 'user.email=seed@example.com', 'commit', '--quiet', '-m', 'All');
  const bare = `${basename(work)}.git`;
  run(root, 'clone', '--quiet', '--bare', work, bare);
  return bare;
}
