import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloneFailure } from '../../agent/git/clone-errors.ts';
import { CredentialsError, credentialsFor } from '../../agent/git/credentials.ts';
import { GitError } from '../../agent/git/git.ts';
import { knownHosts, PUBLISHED } from '../../agent/git/known-hosts.ts';

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
    ['Host key verification failed.\nfatal: Could not read from remote repository.', false, 'known_hosts'],
    ['error: copy-fd: write returned: No space left on device', false, 'spec.storage.size'],
    ['fatal: something new', false, 'something new'],
  ])('%s', (stderr, ...[passes, words]) => {
    const failure = cloneFailure(new GitError('clone', 128, `Cloning into 'x'...\n${stderr}\n`), repository);
    expect(failure).toEqual({ passes, message: expect.stringContaining(words) });
  });
});

describe('git credentials', () => {
  const secret = (files: Record<string, string>) => {
    const path = join(folder, 'secret');
    mkdirSync(path);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text, { mode: 0o644 });
    return path;
  };
  const credentials = (url: string, files: Record<string, string>) =>
    credentialsFor({ url, secret: secret(files), privateFolder: join(folder, 'own'), path: '/usr/bin' });
  const kept = (name: string) => readFileSync(join(folder, 'own', name), 'utf8');

  it('are for the host of the repository alone, and name files instead of secrets', () => {
    const env = credentials('https://git.example:8443/x/y.git', { password: 'hunter2' });
    expect(kept('gitconfig')).toContain('[credential "https://git.example:8443"]');
    expect(kept('gitconfig') + JSON.stringify(env)).not.toContain('hunter2');
    expect(env).toEqual({
      PATH: '/usr/bin',
      HOME: join(folder, 'own'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(folder, 'own', 'gitconfig'),
    });
  });

  it('of SSH are a copy of the key that nobody else may read, and hosts that are vouched for', () => {
    const known_hosts = 'git.example ssh-ed25519 AAAA';
    const env = credentials('git@git.example:x/y.git', { 'ssh-privatekey': 'key', known_hosts });
    const command = env['GIT_SSH_COMMAND'];
    expect(command).toContain(`-i '${join(folder, 'own', 'ssh-key')}'`);
    expect(command).toContain("'StrictHostKeyChecking=yes'");
    expect(statSync(join(folder, 'own', 'ssh-key')).mode & 0o777).toBe(0o600);
    expect(kept('ssh-key')).toBe('key\n');
    expect(kept('known-hosts')).toBe(`${known_hosts}\n`);
  });

  it('of SSH are refused for a host that nobody vouches for', () => {
    expect(() => credentials('git@git.example:x/y.git', { 'ssh-privatekey': 'key' })).toThrow(CredentialsError);
  });

  it('are refused where the Secret does not fit the URL', () => {
    expect(() => credentials('https://git.example/x', { 'ssh-privatekey': 'key' })).toThrow('"password"');
  });

  it.each([
    ['git@github.com:x/y.git', true],
    ['ssh://git@gitlab.com/x/y', true],
    ['ssh://git@bitbucket.org:22/x/y', true],
    ['ssh://git@github.com:2222/x/y', false],
    ['git@evil-github.com:x/y', false],
    ['ssh://git@constructor/x/y', false],
  ])('knows the published key of %s: %s', (url, isKnown) => {
    expect(knownHosts(url, undefined) !== undefined).toBe(isKnown);
    expect(knownHosts(url, 'own line')).toBe('own line\n');
  });

  it.each([
    ['github.com', '+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'],
    ['gitlab.com', 'eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8'],
    ['bitbucket.org', 'ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM'],
  ])('has a key of %s with the fingerprint that is published', (host, fingerprint) => {
    const key = PUBLISHED[host]?.split(' ')[1] ?? '';
    const sum = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace('=', '');
    expect(sum).toBe(fingerprint);
  });
});
