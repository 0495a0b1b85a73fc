/** What the suite of the real agents shares: their packages, our programs, a repository, and pods in which they work. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { agentPackages, type RealAgent } from '../../build/agent-packages.ts';
import { toolKind } from '../../lib/api/session-parts.ts';
import { type GitServer, startGitServer } from '../../local/git-server.ts';
import { Pod, type PodOptions } from '../agent/pod.ts';
import { programs } from '../agent/programs.ts';
import { makeRepositories, makeRepository } from '../agent/repositories.ts';
import { DIALECT, type Spoken } from './dialect.ts';
import { type FakeModelServer, startFakeModelServer } from './model/server.ts';
import type { Script } from './model/talk.ts';

const ALL: RealAgent[] = ['claude-code', 'codex', 'gemini', 'opencode'];

/** Why there are no agents, as the suite's setup found out once for all files. */
export const MISSING = 'TINY_AGENTS_MISSING';

/** Where the agents' commands are, or why there are none. */
export async function findAgents(env: NodeJS.ProcessEnv): Promise<{ bin: string } | { missing: string }> {
  const known = env[MISSING];
  if (known) return { missing: known };
  const cache = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tiny');
  try {
    const { bin, tookMs } = await agentPackages({ cache, env }, ALL);
    if (tookMs > 0) process.stderr.write(`the agents were installed in ${Math.round(tookMs / 1000)} s\n`);
    return { bin };
  } catch (error) {
    const words = (error as { stderr?: string }).stderr?.trim().split('\n').slice(0, 3).join(' ') || String(error);
    return { missing: words };
  }
}

export interface Stage {
  programs: string;
  url: string;
  env: Record<string, string>;
  /** Makes another repository with these files, and gives its URL. */
  repository(name: string, files: Record<string, string>): string;
  close(): Promise<void>;
}

/** Our programs, and a git server with a repository. */
export async function setStage(bin: string, path: string): Promise<Stage> {
  const root = mkdtempSync(join(tmpdir(), 'agents-'));
  makeRepositories(root);
  const [server, cached]: [GitServer, string] = await Promise.all([startGitServer({ root, port: 0 }), programs()]);
  // A copy: another run's sources may take the cached ones away in the minutes that this takes.
  const folder = join(root, 'programs');
  cpSync(cached, folder, { recursive: true });
  return {
    programs: folder,
    url: `${server.url}/repo.git`,
    repository: (name, files) => `${server.url}/${makeRepository(root, { name, files })}`,
    env: { PATH: [bin, dirname(process.execPath), path].join(delimiter) },
    async close() {
      await server.stop();
      rmSync(root, { recursive: true });
    },
  };
}

/** What the Session is asked for, unless something else is said. */
export const PROMPT = 'begin the task';

export interface Play {
  pod: Pod;
  model: FakeModelServer;
  close(): Promise<void>;
}

interface Wanted {
  agent: Spoken;
  script: Script;
  /** Kinds that need no yes; default: all. */
  allow?: readonly string[];
  options?: Partial<PodOptions>;
}

export const EVERYTHING = toolKind.options;

/** A pod with a real agent whose model follows `script`. */
export async function play(stage: Stage, { agent, script, allow = EVERYTHING, options = {} }: Wanted): Promise<Play> {
  const model = await startFakeModelServer(script);
  const dialect = DIALECT[agent];
  const pod = new Pod({
    programs: stage.programs,
    prompt: PROMPT,
    repository: { url: stage.url },
    patienceMs: 90_000,
    ...options,
    agent: { ...dialect.agent(model.url), ...options.agent },
    config: { approvals: { allow }, ...options.config },
    env: { ...stage.env, ...dialect.env, ...options.env },
  });
  return {
    pod,
    model,
    async close() {
      await pod.remove();
      await model.close();
    },
  };
}
