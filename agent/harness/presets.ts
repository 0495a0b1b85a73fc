/** How a Session's agent is started: its preset, as a person changed it; or, without a preset, all that the Session says. */
import { kindsOf } from '../../lib/api/approvals.ts';
import { type PRESETS, toolKind } from '../../lib/api/session-parts.ts';
import type { SessionConfig } from '../env.ts';
import { claudeCode } from '../presets/claude-code/preset.ts';
import { codex } from '../presets/codex/preset.ts';
import { gemini } from '../presets/gemini/preset.ts';
import { opencode } from '../presets/opencode/preset.ts';
import type { Launch, McpServer, Places, Preset, Told } from '../presets/preset.ts';
import { rehearsal } from '../presets/rehearsal/preset.ts';

export const PRESET: Record<(typeof PRESETS)[number], Preset> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  rehearsal,
};

const isPreset = (name: string): name is keyof typeof PRESET => Object.hasOwn(PRESET, name);

interface Around {
  places: Places;
  /** Our MCP server. */
  mcp: McpServer;
}

type Agent = SessionConfig['agent'];

/** How the agent of a Session is started, or in words why not. */
export function launchOf(
  { agent, approvals }: Pick<SessionConfig, 'agent' | 'approvals'>,
  around: Around,
): Launch | { refused: string } {
  if (isPreset(agent.name)) return presetLaunch(PRESET[agent.name], { agent, approvals }, around);
  const [command, ...fixed] = agent.command ?? [];
  if (command === undefined) {
    return { refused: `there is no preset for the agent "${agent.name}"; say in agent.command how it is started` };
  }
  if (agent.model !== undefined || agent.baseUrl !== undefined) {
    return {
      refused: `the agent "${agent.name}" has no preset that knows how it is told a model or a base URL; say them in agent.args or agent.env instead of agent.model and agent.baseUrl`,
    };
  }
  const mode = agent.mode === undefined ? {} : { mode: agent.mode };
  return { command, args: [...fixed, ...(agent.args ?? [])], env: {}, mcpServers: [around.mcp], ...mode };
}

function presetLaunch(
  preset: Preset,
  { agent, approvals }: Pick<SessionConfig, 'agent' | 'approvals'>,
  { places, mcp }: Around,
): Launch {
  const isFree = toolKind.options.every((kind) => kindsOf(approvals.allow).has(kind));
  const told: Told = { model: agent.model, baseUrl: agent.baseUrl, isFree, mcp };
  const { args = [], env = {} } = preset.settings(told, places);
  const [command, ...fixed] = commandOf(agent, preset, places);
  const mode = agent.mode ?? (isFree ? preset.mode?.free : undefined) ?? preset.mode?.asking;
  return {
    command,
    args: [...fixed, ...args, ...(agent.args ?? [])],
    env: { ...preset.env, ...env },
    mcpServers: preset.mcp === 'session' ? [mcp] : [],
    ...(mode !== undefined && { mode }),
    ...(preset.heeds && !isFree && { heeds: preset.heeds }),
    ...(preset.folder && { folder: preset.folder(places.clone) }),
    ...(preset.meta && { meta: preset.meta }),
  };
}

function commandOf(agent: Agent, preset: Preset, places: Places): [string, ...string[]] {
  const [command, ...fixed] = agent.command ?? [];
  return command === undefined ? preset.command(places) : [command, ...fixed];
}
