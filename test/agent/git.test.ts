import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneFailure } from '../../agent/harness/clone-errors.ts';
import { GitError, gitCredentials } from '../../agent/harness/git.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'git-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("git's words", () => {
  const repository = { url: 'https://git.example/x', ref: 'main' };
  it.each([
    ['fatal: Remote branch main not found in upstream origin', false, 'no branch, tag or commit "main"'],
    ["fatal: could not read Username for 'https://git.example': terminal prompts disabled", false, 'credentialsSecret'],
    ['git@git.example: Permission denied (publickey).', false, 'credentialsSecret'],
    ["fatal: repository 'https://git.example/x/' not found", false, 'was not found'],
    [
      "fatal: unable to access 'https://git.example/x/': Could not resolve host: git.example",
      true,
      'spec.network.egress',
    ],
    [
      "fatal: unable to access 'https://git.example/x/': The requested URL returned error: 403",
      false,
      'credentialsSecret',
    ],
    [
      "fatal: unable to access 'https://git.example/x/': The requested URL returned error: 503",
      true,
      "can't be reached",
    ],
    ['error: copy-fd: write returned: No space left on device', false, 'spec.storage.size'],
    ['fatal: something new', false, 'something new'],
  ])('%s', (stderr, ...[passes, words]) => {
    const failure = cloneFailure(new GitError('clone', 128, `Cloning into 'x'...\n${stderr}\n`), repository);
    expect(failure).toEqual({ passes, message: expect.stringContaining(words) });
  });
});

describe('git credentials', () => {
  it('are for the host of the repository alone, and name files instead of secrets', () => {
    writeFileSync(join(folder, 'password'), 'hunter2');
    const { config } = gitCredentials(folder, 'https://git.example:8443/x/y.git', folder);
    expect(config[0]?.[0]).toBe('credential.https://git.example:8443.helper');
    expect(JSON.stringify(config)).not.toContain('hunter2');
  });

  it('of SSH are a copy of the key that nobody else may read', () => {
    writeFileSync(join(folder, 'ssh-privatekey'), 'key', { mode: 0o644 });
    const { env } = gitCredentials(folder, 'git@git.example:x/y.git', folder);
    expect(env['GIT_SSH_COMMAND']).toContain(`-i '${join(folder, 'ssh-key')}'`);
    expect(statSync(join(folder, 'ssh-key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'ssh-key'), 'utf8')).toBe('key');
  });
});
