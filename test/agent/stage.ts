/** What the tests of a whole pod share: bundled programs, and repositories behind a git server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { stringify } from 'yaml';
import { type GitServer, startGitServer } from '../../local/git-server.ts';
import type { Pod, PodOptions } from './pod.ts';
import type { MakePod } from './pod-test.ts';
import { programs } from './programs.ts';
import { makeRepositories } from './repositories.ts';

/** Set up before the tests of the file that calls this, and removed after them. */
export function setStage() {
  const stage = { root: '', programs: '', first: '' };
  let server: GitServer;
  beforeAll(async () => {
    stage.root = mkdtempSync(join(tmpdir(), 'agent-'));
    ({ first: stage.first } = makeRepositories(stage.root));
    [server, stage.programs] = await Promise.all([startGitServer({ root: stage.root, port: 0 }), programs()]);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(stage.root, { recursive: true });
  });
  const url = (name = 'repo.git') => `${server.url}/${name}`;
  const podWith = (makePod: MakePod, options: Partial<PodOptions> = {}): Pod =>
    makePod({ programs: stage.programs, prompt: 'do it', repository: { url: url() }, ...options });
  return { stage, url, podWith };
}

/** A script as a prompt. */
export const script = (...steps: unknown[]): string => stringify(steps);
