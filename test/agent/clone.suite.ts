/** The clone: from git servers that tests start, in this process; what it leaves, and what it leaves nowhere. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runClone } from '../../agent/clone/run.ts';
import { readOutcome, writeOutcome } from '../../agent/git/outcome.ts';
import { type GitServer, startGitServer } from '../../local/git-server.ts';
import { makeRepositories, run } from './repositories.ts';

const credentials = { username: 'u', password: 'p"a\'ss $(x)-hunter2' };
let root: string;
let seed: { first: string; head: string };
let open: GitServer;
let locked: GitServer;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'clone-'));
  seed = makeRepositories(root);
  [open, locked] = await Promise.all([
    startGitServer({ root, port: 0 }),
    startGitServer({ root, port: 0, credentials }),
  ]);
});
afterAll(async () => {
  await Promise.all([open.stop(), locked.stop()]);
  rmSync(root, { recursive: true });
});

let folder: string;
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pod-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const workspace = () => join(folder, 'work');
const file = (name: string) => readFileSync(join(workspace(), 'repo', name), 'utf8');
const slept: number[] = [];
const clock = { now: () => 0, random: () => 0, sleep: async (ms: number) => void slept.push(ms) };

interface Asked {
  url: string;
  ref?: string;
  depth?: number;
  submodules?: boolean;
  author?: { name?: string; email?: string };
}

/** As the container does it; `path` puts programs before the machine's. */
async function clone(repository: Asked, { secret, path = '' }: { secret?: string; path?: string } = {}) {
  mkdirSync(workspace(), { recursive: true });
  const env = {
    namespace: 'p',
    session: 's',
    workspace: workspace(),
    repository: { depth: 1, ...repository },
    gitCredentials: secret,
    path: `${path}:${process.env['PATH']}`,
  };
  const { signal } = new AbortController();
  const privateFolder = mkdtempSync(join(folder, 'private-'));
  await runClone(env, { privateFolder, clock, signal, log: (line) => void lines.push(line) });
  return readOutcome(workspace());
}

function secretWith(files: Record<string, string>): string {
  const secret = mkdtempSync(join(folder, 'secret-'));
  for (const [key, value] of Object.entries(files)) writeFileSync(join(secret, key), value);
  return secret;
}

/** All that lies on the volume, as one text. */
const everything = (): string =>
  readdirSync(workspace(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

describe('a clone', () => {
  it('is on a branch of the Session, by its author, with as much history as asked for', async () => {
    const author = { name: 'Bot', email: 'bot@example.org' };
    expect(await clone({ url: `${open.url}/repo.git`, author })).toEqual({ branch: 'tiny/s', base: seed.head });
    const repo = join(workspace(), 'repo');
    expect(run(repo, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('tiny/s');
    expect(run(repo, 'log', '--format=%H')).toBe(seed.head);
    writeFileSync(join(repo, 'new'), '');
    run(repo, 'add', 'new');
    run(repo, 'commit', '--quiet', '-m', 'x');
    expect(run(repo, 'log', '-1', '--format=%an <%ae>, %cn <%ce>')).toBe(
      'Bot <bot@example.org>, Bot <bot@example.org>',
    );
  });

  it('has all history at depth 0, starts at a branch, a tag or a commit', async () => {
    expect(await clone({ url: `${open.url}/repo.git`, ref: seed.first, depth: 0 })).toMatchObject({ base: seed.first });
    rmSync(workspace(), { recursive: true });
    expect(await clone({ url: `${open.url}/repo.git`, ref: 'side' })).toMatchObject({ base: seed.first });
    rmSync(workspace(), { recursive: true });
    await clone({ url: `${open.url}/repo.git`, depth: 0 });
    expect(run(join(workspace(), 'repo'), 'log', '--format=%H').split('\n')).toEqual([seed.head, seed.first]);
  });

  it('leaves its credentials nowhere: not on the volume, in an argument, a variable or a line', async () => {
    const programs = mkdtempSync(join(folder, 'bin-'));
    const trace = join(folder, 'trace');
    writeFileSync(
      join(programs, 'git'),
      `#!/bin/sh\nprintf '%s\\n' "$@" >> '${trace}'; env >> '${trace}'\nPATH="\${PATH#*:}" exec git "$@"\n`,
      {
        mode: 0o755,
      },
    );
    const outcome = await clone({ url: `${locked.url}/repo.git` }, { secret: secretWith(credentials), path: programs });
    expect(outcome).toEqual({ branch: 'tiny/s', base: seed.head });
    expect(file('.git/config')).not.toContain('credential');
    for (const told of [everything(), readFileSync(trace, 'utf8'), lines.join('\n')])
      for (const spelled of [credentials.password, Buffer.from(`u:${credentials.password}`).toString('base64')])
        expect(told).not.toContain(spelled);
  });

  it('that needs credentials, or better ones, is refused with advice and not tried again', async () => {
    slept.length = 0;
    const url = `${locked.url}/repo.git`;
    const secret = secretWith({ ...credentials, password: 'wrong-password' });
    expect(await clone({ url })).toMatchObject({ refused: expect.stringContaining('credentialsSecret') });
    expect(await clone({ url }, { secret })).toMatchObject({ refused: expect.stringContaining('credentialsSecret') });
    expect(slept).toEqual([]);
  });

  it('of what is not there, or of nothing, is refused in words', async () => {
    const refusal = async (repository: Asked) => ((await clone(repository)) as { refused: string }).refused;
    expect(await refusal({ url: `${open.url}/empty.git` })).toContain('has no commit yet');
    expect(await refusal({ url: `${open.url}/repo.git`, ref: 'no-such' })).toContain(
      'no branch, tag or commit "no-such"',
    );
    expect(await refusal({ url: `${open.url}/missing.git` })).toContain('was not found');
    expect(await refusal({ url: 'http://169.254.169.254/repo.git' })).toContain('is refused');
    expect(await refusal({ url: 'ssh://git@git.example/x' })).toContain('known_hosts');
    expect(await refusal({ url: 'git@github.com:x/y' })).toContain('ssh-privatekey');
    expect(existsSync(join(workspace(), 'repo'))).toBe(false);
  });

  it('of a host that does not answer is tried again, a bounded number of times', async () => {
    slept.length = 0;
    const gone = await startGitServer({ root, port: 0 });
    await gone.stop();
    expect(await clone({ url: `${gone.url}/repo.git` })).toMatchObject({ refused: expect.stringContaining('reached') });
    expect(slept).toEqual([1000, 2000, 4000]);
  });

  it('that a kill cut in half is made anew, and one that is whole is left alone', async () => {
    mkdirSync(join(workspace(), '.cloning', '.git'), { recursive: true });
    writeFileSync(join(workspace(), '.cloning', 'half'), '');
    await clone({ url: `${open.url}/repo.git` });
    expect(existsSync(join(workspace(), 'repo', 'half'))).toBe(false);
    writeFileSync(join(workspace(), 'repo', 'work'), 'of the agent');
    expect(await clone({ url: `${open.url}/repo.git` })).toEqual({ branch: 'tiny/s', base: seed.head });
    expect(file('work')).toBe('of the agent');
  });

  it('after a refusal is made as soon as it can be', async () => {
    await clone({ url: `${open.url}/repo.git`, ref: 'later' });
    run(join(root, 'repo.git'), 'branch', 'later', seed.first);
    expect(await clone({ url: `${open.url}/repo.git`, ref: 'later' })).toMatchObject({ base: seed.first });
  });
});

it('over SSH asks only a server that the Secret vouches for, with its key and no one else', async () => {
  const programs = mkdtempSync(join(folder, 'bin-'));
  const ssh = `#!/bin/sh
printf '%s\n' "$@" > '${folder}/arguments'
while [ "$1" != -i ]; do shift; done
stat -c %a "$2" > '${folder}/mode'
cp "$2" '${folder}/key'
exec git-upload-pack '${root}/repo.git'
`;
  writeFileSync(join(programs, 'ssh'), ssh, { mode: 0o755 });
  const secret = secretWith({ 'ssh-privatekey': 'the-private-key', known_hosts: 'git.example ssh-ed25519 AAAA' });
  expect(await clone({ url: 'git@git.example:o/repo.git' }, { secret, path: programs })).toMatchObject({
    base: seed.head,
  });
  const asked = readFileSync(join(folder, 'arguments'), 'utf8');
  for (const option of ['StrictHostKeyChecking=yes', 'IdentitiesOnly=yes', 'BatchMode=yes', 'ForwardAgent=no'])
    expect(asked).toContain(`-o\n${option}\n`);
  expect(asked).toMatch(/git@git\.example\ngit-upload-pack 'o\/repo\.git'\n$/);
  expect(readFileSync(join(folder, 'mode'), 'utf8')).toBe('600\n');
  expect(readFileSync(join(folder, 'key'), 'utf8')).toBe('the-private-key\n');
  expect(everything() + asked + lines).not.toContain('the-private-key');
});

describe('an agent that knows that the clone runs again', () => {
  it('gets none of its code run there, where the credentials are', async () => {
    const secret = secretWith(credentials);
    await clone({ url: `${locked.url}/repo.git` }, { secret });
    const repo = join(workspace(), 'repo');
    const ran = join(folder, 'ran');
    const evil = `touch ${ran}`;
    for (const key of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'credential.helper', 'alias.config'])
      run(repo, 'config', key, key.startsWith('core') ? evil : `!${evil}`);
    run(repo, 'config', 'filter.x.smudge', evil);
    writeFileSync(join(repo, '.gitattributes'), '* filter=x\n');
    for (const hook of ['post-checkout', 'reference-transaction', 'pre-auto-gc'])
      writeFileSync(join(repo, '.git', 'hooks', hook), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
    await clone({ url: `${locked.url}/repo.git` }, { secret });
    // As of another Session: the volume was copied.
    writeOutcome(workspace(), { branch: 'tiny/other', base: seed.head });
    await clone({ url: `${locked.url}/repo.git` }, { secret });
    expect(existsSync(ran)).toBe(false);
  });

  it('gets no file written or read through a link', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, JSON.stringify({ branch: 'tiny/s', base: 'a'.repeat(40) }));
    mkdirSync(workspace());
    symlinkSync(target, join(workspace(), 'clone.json'));
    symlinkSync(target, join(workspace(), 'clone.json.new'));
    symlinkSync(folder, join(workspace(), '.cloning'));
    expect(readOutcome(workspace())).toBeUndefined();
    expect(await clone({ url: `${open.url}/repo.git` })).toMatchObject({ base: seed.head });
    expect(readFileSync(target, 'utf8')).toContain('aaaa');
  });

  it('has nobody wait for a pipe that it has put there', () => {
    mkdirSync(workspace());
    execFileSync('mkfifo', [join(workspace(), 'clone.json')]);
    expect(readOutcome(workspace())).toBeUndefined();
  });

  it('that has put something else in its place is told so', async () => {
    mkdirSync(workspace());
    symlinkSync('/nonexistent', join(workspace(), 'repo'));
    expect(await clone({ url: `${open.url}/repo.git` })).toMatchObject({ refused: expect.stringContaining('is gone') });
  });
});

describe('submodules and large files', () => {
  /** A repository whose submodule `lib` is at `url`. */
  function withSubmodule(name: string, url: string): void {
    const work = join(root, `${name}-seed`);
    run(root, 'clone', '--quiet', 'repo.git', `${name}-seed`);
    const address = ['-f', '.gitmodules'];
    run(work, 'config', ...address, 'submodule.a.b.path', 'lib');
    run(work, 'config', ...address, 'submodule.a.b.url', url);
    run(work, 'update-index', '--add', '--cacheinfo', `160000,${seed.head},lib`);
    run(work, 'add', '.gitmodules');
    run(work, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--quiet', '-m', 'Submodule');
    run(root, 'clone', '--quiet', '--bare', `${name}-seed`, `${name}.git`);
  }

  it('come only when asked for, with the credentials of the repository', async () => {
    withSubmodule('outer', '../repo.git');
    const secret = secretWith(credentials);
    await clone({ url: `${locked.url}/outer.git` }, { secret });
    expect(existsSync(join(workspace(), 'repo', 'lib', 'README.md'))).toBe(false);
    rmSync(workspace(), { recursive: true });
    await clone({ url: `${locked.url}/outer.git`, submodules: true }, { secret });
    expect(file('lib/README.md')).toBe('one\ntwo\n');
    expect(everything()).not.toContain(credentials.password);
  });

  it.each([
    ['a metadata address', 'http://169.254.169.254/x.git'],
    ['a metadata address that is no plain one', '../../169.254.169.254/x.git'],
    ['a local path', '/etc'],
    ['a command', 'ext::sh -c touch% x'],
  ])('at %s are refused', async (name, url) => {
    const repository = name.replaceAll(' ', '-');
    withSubmodule(repository, url);
    const asked = { url: `${open.url}/${repository}.git`, submodules: true };
    expect(await clone(asked)).toMatchObject({ refused: expect.stringMatching(/submodule (lib|a\.b) is refused/) });
  });

  it('are pulled where git-lfs is there, and told of where it is not', async () => {
    const work = join(root, 'lfs-seed');
    run(root, 'clone', '--quiet', 'repo.git', 'lfs-seed');
    writeFileSync(join(work, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n');
    run(work, 'add', '.');
    run(work, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--quiet', '-m', 'LFS');
    run(root, 'clone', '--quiet', '--bare', 'lfs-seed', 'lfs.git');
    expect(await clone({ url: `${open.url}/lfs.git` })).toMatchObject({ note: expect.stringContaining('no git-lfs') });
    rmSync(workspace(), { recursive: true });
    const programs = mkdtempSync(join(folder, 'bin-'));
    writeFileSync(join(programs, 'git-lfs'), `#!/bin/sh\necho "$@" >> '${folder}/lfs'\n echo x\n`, { mode: 0o755 });
    expect(await clone({ url: `${open.url}/lfs.git` }, { path: programs })).not.toHaveProperty('note');
    expect(readFileSync(join(folder, 'lfs'), 'utf8')).toBe('version\ninstall --local --skip-smudge\npull\n');
  });
});
