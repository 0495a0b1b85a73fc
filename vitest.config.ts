import { defineConfig } from 'vitest/config';

/** Clusters and pods of real processes: slow, and mostly waiting. */
const STORIES = ['test/e2e/**/*.test.ts', 'test/agent/**/*.test.ts'];

export default defineConfig({
  test: {
    reporters: ['default'],
    // As many as the cores of the smallest machine that the tests are for: more would let what is timed starve.
    maxWorkers: 2,
    // Files of a worker share what they import: loading it anew for each is half of all that is to do.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: STORIES,
          sequence: { groupOrder: 0 },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'stories',
          include: STORIES,
          sequence: { groupOrder: 1 },
          // What is waited for comes within seconds; on a machine that does much else, later.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
