/** The harness's effects with the pod's places filled in: how the agent is had there. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../lib/kube/clock.ts';
import type { HarnessEnv } from '../env.ts';
import { repositoryFolder } from '../git/clone.ts';
import { AgentError } from './agent-process.ts';
import type { HarnessOptions } from './context.ts';
import { type ConversationOptions, openConversation } from './conversation.ts';
import { launchOf } from './presets.ts';

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
