/** The harness's effects with the pod's places filled in: how the agent is had there. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../lib/kube/clock.ts';
import type { HarnessEnv } from '../env.ts';
import { repositoryFolder } from '../git/clone.ts';
import { MCP_SERVER, type McpServer } from '../presets/preset.ts';
import { AgentError } from './agent-process.ts';
import type { HarnessOptions } from './context.ts';
import { type ConversationOptions, openConversation } from './conversation.ts';
import { launchOf } from './presets.ts';
import { endLeftover, noteGroup } from './process-group.ts';

/** How the Session's agent is started. Without a repository it works in an empty folder. */
export function openAgent(
  env: HarnessEnv,
  told: Pick<ConversationOptions, 'permits' | 'log' | 'status' | 'record'>,
): HarnessOptions['converse'] {
  return async (load) => {
    const places = { node: process.execPath, programs: env.programs, home: env.inherited['HOME'] ?? '/' };
    const launch = launchOf(env.config, { places, mcp: mcpServer(env) });
    if ('refused' in launch) throw new AgentError({ why: launch.refused, passes: false });
    const cwd = repositoryFolder(env.workspace);
    mkdirSync(cwd, { recursive: true });
    const leftover = join(env.run, 'agent.pid');
    if (endLeftover(leftover)) told.log("the earlier harness's agent was still running and is ended");
    const started = (pid: number | undefined) => noteGroup(leftover, pid);
    return openConversation({ launch, cwd, env: env.inherited, load, clock: systemClock, started, ...told });
  };
}

/** Our MCP server as agents start one: a command that pipes to the tools' socket. */
const mcpServer = ({ programs, run }: HarnessEnv): McpServer => ({
  name: MCP_SERVER,
  command: process.execPath,
  args: [join(programs, 'connect.cjs'), join(run, 'mcp.sock')],
});
