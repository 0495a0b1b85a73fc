/** The rehearsal: the scripted agent of our own that plays the prompt, for tests and demonstrations. */
import type { Preset } from '../preset.ts';

export const rehearsal: Preset = {
  command: ({ node, programs }) => [node, `${programs}/rehearsal.cjs`],
  state: '.rehearsal',
  keys: [],
  settings: () => ({}),
  env: {},
  mcp: 'session',
};
