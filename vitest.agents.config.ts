import { defineConfig } from 'vitest/config';

/** The real agents with the fake model server; each start takes seconds of CPU. `npm run test:agents`. */
export default defineConfig({
  test: {
    globalSetup: ['test/agents/setup.ts'],
    include: ['test/agents/**/*.suite.ts'],
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 600_000,
    reporters: ['default'],
  },
});
