/** `it` with pods that are removed at the end of each test, so that tests may run side by side. */
import { test } from 'vitest';
import { Pod, type PodOptions } from './pod.ts';

export type MakePod = (options: PodOptions) => Pod;

export const it = test.extend<{ makePod: MakePod }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that this one needs
  makePod: async ({}, use) => {
    const pods: Pod[] = [];
    await use((options) => {
      const pod = new Pod(options);
      pods.push(pod);
      return pod;
    });
    await Promise.all(pods.map((pod) => pod.remove()));
  },
});
