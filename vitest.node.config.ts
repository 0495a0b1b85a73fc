import { defineConfig } from 'vitest/config';

/** The story on a real node: one after the other, in the sandbox that test/node/run.ts makes. `npm run test:node`. */
export default defineConfig({
  test: {
    include: ['test/node/**/*.suite.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    bail: 1,
    reporters: ['default'],
  },
});
