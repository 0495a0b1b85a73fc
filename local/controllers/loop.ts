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

/** Runs `run` until it is stopped: then its signal aborts, and it is to end. */
export function startPart(run: (signal: AbortSignal) => Promise<unknown>): Part {
  const ending = new AbortController();
  const running = run(ending.signal);
  const stop = async () => {
    ending.abort();
    await running;
  };
  return { stop };
}

/** Waits `ms` milliseconds, or less where the signal aborts; never throws. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal && { signal }).catch(() => undefined);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
export const keyOf = ({ namespace = '', name }: Ref): string => `${namespace}/${name}`;

/** Does `work` anew, a second after it has ended or failed, until the signal aborts. */
export async function keepOn(
  signal: AbortSignal,
  work: () => Promise<void>,
  failed: (error: unknown) => unknown,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error) => signal.aborted || failed(error));
    await sleep(1000, signal);
  }
}

type Changed<T extends KubeObject> = (object: Stored<T>, type: WatchEvent<T>['type']) => unknown;

/** Follows every object of a kind until the signal aborts; a watch that fails (no such kind yet) is begun again. */
export function follow<T extends KubeObject>(
  { client, log }: World,
  type: ResourceType<T>,
  { signal, changed }: { signal: AbortSignal; changed: Changed<T> },
): Promise<void> {
  const watch = async () => {
    for await (const event of client.watch(type, { signal })) await changed(event.object, event.type);
  };
  return keepOn(signal, watch, (error) => log(`watching ${type.plural} failed, trying again: ${messageOf(error)}`));
}

/**
 * Runs a part for each object of a kind, anew when its spec changes, until the object goes. Resolves when a part runs
 * for each object that is there.
 */
export async function runEach<T extends KubeObject>(
  world: World,
  type: ResourceType<T>,
  start: (object: Stored<T>) => Promise<Part>,
): Promise<Part> {
  const running = new Map<string, Part & { generation: number | undefined }>();
  const changed: Changed<T> = async (object, change) => {
    const { uid, generation } = object.metadata;
    const old = running.get(uid);
    if (change !== 'DELETED' && old && old.generation === generation) return;
    running.delete(uid);
    await old?.stop();
    if (change !== 'DELETED') running.set(uid, { ...(await start(object)), generation });
  };
  for (const object of (await world.client.list(type)).items) await changed(object, 'ADDED');
  const following = startPart((signal) => follow(world, type, { signal, changed }));
  const stop = async () => {
    await following.stop();
    await Promise.all([...running.values()].map((part) => part.stop()));
  };
  return { stop };
}

type Work = (ref: Ref) => Promise<void>;
type Feed = (signal: AbortSignal, add: (ref: Ref) => void) => Promise<void>[];

/**
 * A controller: `feed` follows what matters and adds which objects to look at, `work` converges one, one run an object
 * at a time; a failure is tried again after 0.1 s, doubling to 5 s.
 */
export function startController({ log }: World, work: Work, feed: Feed): Part {
  const wanted = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const run = async (key: string, ref: Ref, signal: AbortSignal) => {
    for (let failures = 0; !signal.aborted && wanted.delete(key); ) {
      try {
        await work(ref);
        failures = 0;
      } catch (error) {
        log(`${key}: ${messageOf(error)}`);
        wanted.add(key);
        await sleep(Math.min(100 * 2 ** failures++, 5000), signal);
      }
    }
    running.delete(key);
  };
  return startPart(async (signal) => {
    const add = ({ namespace = '', name }: Ref) => {
      const key = keyOf({ namespace, name });
      wanted.add(key);
      if (!running.has(key) && !signal.aborted) running.set(key, run(key, { namespace, name }, signal));
    };
    await Promise.all(feed(signal, add));
    await Promise.all(running.values());
  });
}
