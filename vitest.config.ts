import { defineConfig } from 'vitest/config';

/** Clusters of real processes: slow, and mostly waiting. */
const STORIES = ['test/e2e/**/*.test.ts', 'test/agent/**/*.test.ts'];

const limits = { testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    reporters: ['default'],
    // As many as the cores of the smallest machine that the tests are for: more would let what is timed starve.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...limits,
          name: 'stories',
          include: STORIES,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...limits,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: STORIES,
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
});
