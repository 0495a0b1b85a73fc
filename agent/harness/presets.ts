/**
 * The agents that come with the harness, as data: how each is started and how it is told its model. Any other agent
 * that speaks the Agent Client Protocol is named with `agent.command`.
 */
import type { SessionConfig } from '../env.ts';

/** What starts an agent: a command as an argument array, never a shell's line. */
export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** `_meta` of `session/new`, for what an agent takes there. */
  meta?: Record<string, unknown>;
}

export interface Preset {
  command: (places: Places) => [string, ...string[]];
  /** Arguments and environment that name the model. */
  model: (model: string) => { args?: string[]; env?: Record<string, string> };
  env: Record<string, string>;
  meta?: Record<string, unknown>;
}

export interface Places {
  /** The Node that runs this. */
  node: string;
  /** Folder of our programs. */
  programs: string;
}

/** The name under which agents see our MCP server. */
export const MCP_SERVER = 'tiny';

/** A day, in milliseconds: a tool call waits for a person. */
const TOOL_TIMEOUT_MS = 24 * 60 * 60 * 1000;

export const PRESET: Record<'claude-code' | 'codex' | 'rehearsal', Preset> = {
  'claude-code': {
    command: () => ['claude-agent-acp'],
    model: (model) => ({ env: { ANTHROPIC_MODEL: model } }),
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      MCP_TOOL_TIMEOUT: String(TOOL_TIMEOUT_MS),
    },
    meta: { claudeCode: { options: { allowedTools: [`mcp__${MCP_SERVER}`] } } },
  },
  codex: {
    command: () => ['codex-acp'],
    model: (model) => ({ args: ['-c', `model=${JSON.stringify(model)}`] }),
    env: {},
  },
  rehearsal: {
    command: ({ node, programs }) => [node, `${programs}/rehearsal.cjs`],
    model: () => ({}),
    env: {},
  },
};

const isPreset = (name: string): name is keyof typeof PRESET => Object.hasOwn(PRESET, name);

/** How the agent of a Session is started, or in words why not. */
export function launchOf(agent: SessionConfig['agent'], places: Places): Launch | { refused: string } {
  const preset = isPreset(agent.name) ? PRESET[agent.name] : undefined;
  const [command, ...fixed] = agent.command?.length ? agent.command : (preset?.command(places) ?? []);
  if (command === undefined) {
    return { refused: `there is no preset for the agent "${agent.name}"; say in agent.command how it is started` };
  }
  const named = modelOf(preset, agent.model);
  return {
    command,
    args: [...fixed, ...named.args, ...(agent.args ?? [])],
    env: { ...preset?.env, ...named.env },
    ...(preset?.meta && { meta: preset.meta }),
  };
}

function modelOf(preset: Preset | undefined, model: string | undefined) {
  const named = preset && model !== undefined ? preset.model(model) : {};
  return { args: named.args ?? [], env: named.env ?? {} };
}
