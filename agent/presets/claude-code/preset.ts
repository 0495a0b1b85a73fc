/**
 * Claude Code, by the adapter that the makers of the protocol maintain. It starts in a mode of its own in which a model
 * decides what may run ("auto"): set back to the one that asks. A repository is not trusted: its settings, hooks and MCP servers are not loaded.
 */
import { MCP_SERVER, type Preset, TOOL_TIMEOUT_MS } from '../preset.ts';

/** What Claude Code reads by itself only together with a repository's settings, hooks and servers. */
const READ_INSTRUCTIONS =
  'Before you begin, read CLAUDE.md in the root of the repository if it is there, and what it refers to with @; these are the instructions of the project.';

export const claudeCode: Preset = {
  command: () => ['claude-agent-acp'],
  state: '.claude',
  keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  settings: ({ model, baseUrl }) => ({
    env: { ...(model && { ANTHROPIC_MODEL: model }), ...(baseUrl && { ANTHROPIC_BASE_URL: baseUrl }) },
  }),
  env: {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // One more request a turn, for a guess at what a person would type next.
    CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
    // A call of ours may wait for a person: not ended after 30 silent minutes, and not put into the background.
    MCP_TOOL_TIMEOUT: String(TOOL_TIMEOUT_MS),
    CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: '0',
    CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '0',
  },
  mode: { asking: 'default' },
  mcp: 'session',
  meta: {
    systemPrompt: { append: READ_INSTRUCTIONS },
    claudeCode: {
      options: {
        allowedTools: [`mcp__${MCP_SERVER}`],
        promptSuggestions: false,
        settingSources: ['user'],
        strictMcpConfig: true,
      },
    },
  },
};
