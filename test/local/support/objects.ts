/** Objects for tests, and how tests wait. */
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import type { Pod } from '../../../local/node/pod.ts';

/** An object of `apiVersion/kind`, such as `apps/v1/Deployment`. */
export const object = <T extends object>(type: string, metadata: KubeObject['metadata'], rest?: T) => {
  const at = type.lastIndexOf('/');
  return { apiVersion: type.slice(0, at), kind: type.slice(at + 1), metadata, ...rest } as KubeObject & T;
};

/** Waits until `read` gives something other than `undefined`, `false` or an empty list. */
export async function until<T>(what: string, read: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const value = await read();
    if (value && !(Array.isArray(value) && value.length === 0)) return value as NonNullable<T>;
    await setTimeout(10);
  }
  return expect.fail(`waited for ${what} in vain`);
}

/** A container that runs a line of JavaScript. */
export const script = (name: string, code: string, rest: object = {}) => ({
  name,
  image: 'tiny.dev/test:1',
  command: ['node', '-e', code],
  ...rest,
});

export const pod = (name: string, spec: object): Pod =>
  object(
    'v1/Pod',
    { name, namespace: 'team-a' },
    { spec: { nodeName: 'tiny-stand-in', terminationGracePeriodSeconds: 1, ...spec } },
  ) as unknown as Pod;

/** Runs until it gets SIGTERM. */
export const FOREVER = 'setInterval(() => {}, 1000)';
