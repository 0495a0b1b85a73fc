import { defineConfig } from 'vitest/config';

/** The contract suite: against a real kube-apiserver, which takes seconds to start. `npm run test:contract`. */
export default defineConfig({
  test: {
    include: ['test/contract/**/*.suite.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
