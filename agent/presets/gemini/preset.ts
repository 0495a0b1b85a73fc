/** Gemini CLI, which speaks the protocol itself. Without a model it asks one which model to take. */
import type { Preset } from '../preset.ts';

export const gemini: Preset = {
  command: () => ['gemini', '--acp'],
  state: '.gemini',
  keys: ['GEMINI_API_KEY'],
  settings: ({ model, baseUrl }) => ({
    ...(model && { args: ['--model', model] }),
    ...(baseUrl && { env: { GOOGLE_GEMINI_BASE_URL: baseUrl } }),
  }),
  env: { GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_CLI_TRUST_WORKSPACE: 'false' },
  mode: { asking: 'default', free: 'yolo' },
  mcp: 'session',
};
