/**
 * What every lasting part of the stand-in is made of: following a kind of object, and a queue that converges one
 * object at a time. Level-driven, as in Kubernetes: a key says which object to look at, never what happened to it.
 */
import { setTimeout } from 'node:timers/promises';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Client, Ref, ResourceType, WatchEvent } from '../../lib/kube/types.ts';

/** Tells one line to whoever runs the stand-in. */
export type Log = (line: string) => void;

/** What comes in from outside, to every part. `random` gives [0, 1). */
export interface World {
  client: Client;
  now: () => Date;
  random: () => number;
  log: Log;
}

/** A part that runs until it is stopped; `stop` leaves no timer and no process behind. */
export interface Part {
  stop(): Promise<void>;
}

/** Waits `ms` milliseconds, or less where the signal aborts; never throws. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
export const keyOf = (ref: Ref): string => `${ref.namespace ?? ''}/${ref.name}`;
export const refOf = (key: string): Ref => {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
};

interface Following<T extends KubeObject> {
  signal: AbortSignal;
  namespace?: string;
  changed: (object: Stored<T>, type: WatchEvent<T>['type']) => unknown;
}

/** Follows every object of a kind until the signal aborts; a watch that fails (no such kind yet) is begun again. */
export async function follow<T extends KubeObject>(
  { client, log }: World,
  type: ResourceType<T>,
  { signal, changed, ...options }: Following<T>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(type, { ...options, signal })) await changed(event.object, event.type);
    } catch (error) {
      if (!signal.aborted) log(`watching ${type.plural} failed, trying again: ${messageOf(error)}`);
    }
    await sleep(1000, signal);
  }
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

interface Queue {
  add(key: string): void;
  /** Resolves when the work under way has ended. */
  idle(): Promise<void>;
}

/** Runs `work` for each added key, one run a key at a time; a failure is tried again after 0.1 s, doubling to 5 s. */
function makeQueue({ log }: World, signal: AbortSignal, work: (ref: Ref) => Promise<void>): Queue {
  const wanted = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const run = async (key: string) => {
    for (let failures = 0; !signal.aborted && wanted.delete(key); ) {
      try {
        await work(refOf(key));
        failures = 0;
      } catch (error) {
        log(`${key}: ${messageOf(error)}`);
        wanted.add(key);
        await sleep(Math.min(100 * 2 ** failures++, 5000), signal);
      }
    }
    running.delete(key);
  };
  return {
    add: (key) => {
      wanted.add(key);
      if (!running.has(key) && !signal.aborted) running.set(key, run(key));
    },
    idle: async () => void (await Promise.all(running.values())),
  };
}

type Work = (ref: Ref) => Promise<void>;
type Feed = (signal: AbortSignal, add: (ref: Ref) => void) => Promise<void>[];

/** A controller: `feed` follows what matters and adds which objects to look at, `work` converges one. */
export function startController(world: World, work: Work, feed: Feed): Part {
  const ending = new AbortController();
  const queue = makeQueue(world, ending.signal, work);
  const following = feed(ending.signal, (ref) => queue.add(keyOf(ref)));
  const stop = async () => {
    ending.abort();
    await Promise.all([...following, queue.idle()]);
  };
  return { stop };
}
