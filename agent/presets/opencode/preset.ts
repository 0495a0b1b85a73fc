/** OpenCode, which speaks the protocol itself and asks any provider; its settings go as JSON in OPENCODE_CONFIG_CONTENT. */
import type { Preset } from '../preset.ts';

/** Name of the provider that stands for `spec.agent.baseUrl`: the OpenAI-compatible API of vLLM, Ollama and gateways. */
const PROVIDER = 'gateway';

export const opencode: Preset = {
  command: () => ['opencode', 'acp'],
  state: '.local/share/opencode',
  keys: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
  settings: ({ model, baseUrl, isFree }, { clone }) => ({
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        instructions: [`${clone}/AGENTS.md`],
        permission: isFree ? {} : { edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask' },
        ...(model && { model: baseUrl ? `${PROVIDER}/${model}` : model }),
        ...(baseUrl && { provider: { [PROVIDER]: provider(baseUrl, model) } }),
      }),
    },
  }),
  env: {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_PURE: '1',
  },
  mcp: 'session',
  // Version 1.18 has two readers of settings; the second runs a repository's plugins whatever the variables above say.
  heeds: ['.opencode', 'opencode.json', 'opencode.jsonc'],
};

const provider = (baseURL: string, model: string | undefined) => ({
  npm: '@ai-sdk/openai-compatible',
  name: PROVIDER,
  options: { baseURL, apiKey: '{env:OPENAI_API_KEY}' },
  models: model === undefined ? {} : { [model]: { name: model } },
});
