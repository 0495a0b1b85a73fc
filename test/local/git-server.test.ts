/** Who reaches the git server may read; only where a test asks for it may they push. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startGitServer } from '../../local/git-server.ts';
import { makeRepositories } from '../agent/repositories.ts';

const root = mkdtempSync(join(tmpdir(), 'tiny-git-'));
afterAll(() => rmSync(root, { recursive: true }));

const git = (...args: string[]) => promisify(execFile)('git', args, { env: { PATH: process.env['PATH'], HOME: root } });

test('it is cloned from by whoever reaches it, and pushed to only where that was asked for', async () => {
  const { first } = makeRepositories(root);
  const push = async (pushes?: boolean) => {
    const server = await startGitServer({ root, port: 0, ...(pushes !== undefined && { pushes }) });
    try {
      const url = `${server.url}/repo.git`;
      expect((await git('ls-remote', url)).stdout).toContain(`${first}\trefs/heads/side`);
      await git('-C', join(root, 'seed'), 'push', url, `${first}:refs/heads/pushed`);
    } finally {
      await server.stop();
    }
  };
  await expect(push()).rejects.toThrow(/403|not permitted|unable to access/);
  await expect(push(false)).rejects.toThrow();
  await push(true);
  expect((await git('-C', join(root, 'repo.git'), 'rev-parse', 'pushed')).stdout.trim()).toBe(first);
});
