/** A clone that came along from another Session: whose branch it is on, and where its work begins. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HarnessEnv } from '../../agent/env.ts';
import { readOutcome, writeOutcome } from '../../agent/git/outcome.ts';
import { cloneStep } from '../../agent/harness/work-tree.ts';
import { makeRepositories, run } from './repositories.ts';

let workspace: string;
let seed: { first: string; head: string };
let work: string;
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'work-'));
  seed = makeRepositories(workspace);
  work = join(workspace, 'repo');
  mkdirSync(work);
  run(work, 'clone', '--quiet', '--depth=1', `file://${workspace}/repo.git`, '.');
  run(work, 'checkout', '--quiet', '-b', 'tiny/old');
  writeFileSync(join(work, 'done.md'), 'done');
  run(work, 'add', '--all');
  run(work, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--quiet', '-m', 'Never pushed');
  writeFileSync(join(work, 'README.md'), 'begun\n');
});
afterAll(() => rmSync(workspace, { recursive: true }));

const step = () =>
  cloneStep(
    {
      namespace: 'p',
      session: 'new',
      workspace,
      inherited: { PATH: process.env['PATH'] ?? '' },
      config: { repository: { url: 'https://example.com/a', depth: 1 } },
    } as unknown as HarnessEnv,
    () => {},
  )();

it('goes on as the new Session’s branch, and brings along to a push what the other had not pushed', async () => {
  writeOutcome(workspace, { branch: 'tiny/old', base: seed.head });
  const head = run(work, 'rev-parse', 'HEAD');
  expect(await step()).toEqual({ branch: 'tiny/new', base: seed.head });
  expect(readOutcome(workspace)).toEqual({ branch: 'tiny/new', base: seed.head });
  expect(run(work, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('tiny/new');
  expect(run(work, 'rev-parse', 'HEAD')).toBe(head);
  expect(readFileSync(join(work, 'README.md'), 'utf8')).toBe('begun\n');
  expect(run(work, 'config', 'user.name')).toBe('tiny session new');
});

it('begins where it stands, where the commit that it began at is gone', async () => {
  writeOutcome(workspace, { branch: 'tiny/old', base: 'a'.repeat(40) });
  expect(await step()).toEqual({ branch: 'tiny/new', base: run(work, 'rev-parse', 'HEAD') });
});
