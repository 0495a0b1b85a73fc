/** The harness's effects with the pod's places filled in: how the agent is had there. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../lib/kube/clock.ts';
import type { HarnessEnv } from '../env.ts';
import { repositoryFolder } from '../git/clone.ts';
import { type Launch, MCP_SERVER, type McpServer } from '../presets/preset.ts';
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
    const cwd = repositoryFolder(env.workspace);
    const { programs, inherited } = env;
    const places = { node: process.execPath, programs, home: inherited['HOME'] ?? '/', clone: cwd };
    const launch = launchOf(env.config, { places, mcp: mcpServer(env) });
    if ('refused' in launch) throw new AgentError({ why: launch.refused, passes: false });
    mkdirSync(cwd, { recursive: true });
    const why = distrust(launch, cwd);
    if (why !== undefined) throw new AgentError({ why, passes: false });
    const leftover = join(env.run, 'agent.pid');
    if (endLeftover(leftover)) told.log("the earlier harness's agent was still running and is ended");
    const started = (pid: number | undefined) => noteGroup(leftover, pid);
    return openConversation({ launch, cwd, env: env.inherited, load, clock: systemClock, started, ...told });
  };
}

/** Why the agent is not started in this clone, if so. */
export function distrust({ command, heeds = [] }: Launch, clone: string): string | undefined {
  const found = heeds.filter((name) => readdirSync(clone).includes(name));
  if (found.length === 0) return undefined;
  return `the repository holds ${found.join(', ')}, and the agent (${command}) would run unasked what is said there, so it was not started; take it out of the repository, use another agent, or allow every kind of tool call (spec.approvals.allow)`;
}

/** Our MCP server as agents start one: a command that pipes to the tools' socket. */
const mcpServer = ({ programs, run }: HarnessEnv): McpServer => ({
  name: MCP_SERVER,
  command: process.execPath,
  args: [join(programs, 'connect.cjs'), join(run, 'mcp.sock')],
});
