import { defineConfig } from 'vitest/config';

/** What needs pods of real processes, real git or a real engine for long: apart, so that `npm test` stays short. `npm run test:pods`. */
export default defineConfig({
  test: {
    include: ['test/agent/**/*.suite.ts', 'test/local/**/*.suite.ts'],
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
