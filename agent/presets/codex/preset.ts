/**
 * Codex, by the adapter that the makers of the protocol maintain; all settings go as JSON in CODEX_CONFIG, which leaves the
 * config.toml on the volume to people. The mode in which it asks runs commands in a read-only sandbox, and what wants more
 * is asked for. Where a node gives no user namespaces the sandbox can't start, and every command is asked for.
 */
import { MCP_SERVER, type Preset, TOOL_TIMEOUT_MS } from '../preset.ts';

/** Name of the provider that stands for `spec.agent.baseUrl`. */
const PROVIDER = 'gateway';

export const codex: Preset = {
  command: () => ['codex-acp'],
  state: '.codex',
  keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  settings: ({ model, baseUrl, mcp }) => ({
    env: {
      CODEX_CONFIG: JSON.stringify({
        ...(model && { model }),
        ...(baseUrl && { model_providers: { [PROVIDER]: provider(baseUrl) } }),
        mcp_servers: {
          [MCP_SERVER]: {
            command: mcp.command,
            args: mcp.args,
            tool_timeout_sec: TOOL_TIMEOUT_MS / 1000,
            default_tools_approval_mode: 'approve',
          },
        },
        check_for_update_on_startup: false,
        analytics: { enabled: false },
      }),
      ...(baseUrl ? { MODEL_PROVIDER: PROVIDER } : { DEFAULT_AUTH_REQUEST: JSON.stringify({ methodId: 'api-key' }) }),
    },
  }),
  env: { NO_BROWSER: '1' },
  mode: { asking: 'read-only', free: 'agent-full-access' },
  // Servers that come with `session/new` get Codex's own time limit for a call, which no person keeps.
  mcp: 'settings',
  // The adapter calls the folder that it is given trusted, which would load the settings, servers, hooks and rules of the
  // repository. Codex compares names: so it takes that word for another folder than the one that it works in.
  folder: (clone) => `${clone}/.`,
};

/** Only the Responses API is spoken. */
const provider = (baseUrl: string) => ({
  name: PROVIDER,
  base_url: baseUrl,
  env_key: 'OPENAI_API_KEY',
  wire_api: 'responses',
});
