/** The harness's effects with the pod's places filled in: how the clone, the result and the agent are had there. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../lib/kube/clock.ts';
import type { HarnessEnv } from '../env.ts';
import { AgentError } from './agent-process.ts';
import { CloneRefusal, clone, repositoryFolder } from './clone.ts';
import { cloneFailure } from './clone-errors.ts';
import type { HarnessOptions } from './context.ts';
import { type ConversationOptions, openConversation } from './conversation.ts';
import { gitCredentials } from './git.ts';
import { type Journal, progressOf } from './journal.ts';
import { launchOf } from './presets.ts';
import { resultOf } from './result.ts';

/** How the pod's repository is cloned. */
export function cloneStep(env: HarnessEnv, signal: AbortSignal): HarnessOptions['clone'] {
  return async () => {
    const { repository } = env.config;
    if (!repository) return { passes: false, message: 'the Session has no repository' };
    const branch = `tiny/${env.session}`;
    try {
      const { base } = await clone({
        ...repository,
        branch,
        identity: { name: `tiny session ${env.session}`, email: `${env.session}.${env.namespace}@tiny.invalid` },
        workspace: env.workspace,
        credentials: gitCredentials(env.gitCredentials, repository.url, env.run),
        env: env.inherited,
        signal,
      });
      return { branch, base };
    } catch (error) {
      if (error instanceof CloneRefusal) return { passes: false, message: error.message };
      return cloneFailure(error, repository);
    }
  };
}

/** How the result is computed from what the journal holds. */
export function resultStep(env: HarnessEnv, journal: Journal): HarnessOptions['result'] {
  return () => {
    const { cloned, last } = progressOf(journal.records);
    const folder = repositoryFolder(env.workspace);
    return resultOf({ folder, base: cloned?.base, summary: last?.summary ?? '', env: env.inherited });
  };
}

/** How the Session's agent is started. Without a repository it works in an empty folder. */
export function openAgent(
  env: HarnessEnv,
  told: Pick<ConversationOptions, 'permits' | 'log' | 'status' | 'record'>,
): HarnessOptions['converse'] {
  return async (load) => {
    const launch = launchOf(env.config.agent, { node: process.execPath, programs: env.programs });
    if ('refused' in launch) throw new AgentError({ why: launch.refused, passes: false });
    const cwd = repositoryFolder(env.workspace);
    mkdirSync(cwd, { recursive: true });
    const mcp = { command: process.execPath, args: [join(env.programs, 'connect.cjs'), join(env.run, 'mcp.sock')] };
    return openConversation({ launch, cwd, env: env.inherited, mcp, load, clock: systemClock, ...told });
  };
}
