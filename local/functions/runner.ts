/**
 * Runs functions: each Knative Service gets a front on a loopback port, behind which its process comes and goes.
 * Traffic splitting, revisions, probes and `containerConcurrency` are not there.
 */
import { createServer } from 'node:http';
import type { Stored } from '../../lib/api/meta.ts';
import type { Ref } from '../../lib/kube/types.ts';
import { keyOf, type Part, runEach } from '../controllers/loop.ts';
import { reportServed } from '../controllers/status.ts';
import { serve } from './front.ts';
import { type FunctionOptions, Instance, type InstanceOptions } from './instance.ts';
import { listen } from './port.ts';
import { SERVICES, type Service, wantedOf } from './service.ts';

export interface Functions extends Part {
  /** Names of the functions that have a process now. */
  running(): string[];
  /** Where a function is reached; `undefined` for one that is not there or has no bundle. */
  address(ref: Ref): string | undefined;
  /** By name: milliseconds of each cold start. */
  coldStarts(): Record<string, number[]>;
}

interface Front {
  name: string;
  url: string;
  instance: Instance;
}

/** Opens a function's front until the Service goes or changes; what is in flight then, its sender sends again. */
async function open(options: InstanceOptions, fronts: Map<string, Front>, object: Stored<Service>): Promise<Part> {
  const wanted = wantedOf(object, options.functionsFolder);
  if ('missing' in wanted) {
    await reportServed(options, SERVICES, { object, problem: wanted.missing });
    return { stop: async () => undefined };
  }
  const instance = new Instance(options, wanted);
  const server = createServer((incoming, response) => void serve(instance, incoming, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const key = keyOf(object.metadata);
  fronts.set(key, { name: object.metadata.name, url, instance });
  await reportServed(options, SERVICES, { object, problem: undefined, url });
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await instance.stop();
    fronts.delete(key);
  };
  return { stop };
}

/** Runs until stopped. Ready when each Service that is there has its front. */
export async function startFunctions(options: FunctionOptions): Promise<Functions> {
  const fronts = new Map<string, Front>();
  const address = (ref: Ref) => fronts.get(keyOf(ref))?.url;
  const { stop } = await runEach(options, SERVICES, (service) => open({ ...options, address }, fronts, service));
  const all = () => [...fronts.values()];
  return {
    stop,
    running: () => all().flatMap(({ name, instance }) => (instance.isRunning ? [name] : [])),
    address,
    coldStarts: () => Object.fromEntries(all().map(({ name, instance }) => [name, [...instance.coldStarts]])),
  };
}
