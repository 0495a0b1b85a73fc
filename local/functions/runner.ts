/**
 * Runs functions: each Knative Service of a namespace gets a front on a loopback port, behind which its process comes
 * and goes. Traffic splitting, revisions and probes are not there.
 */
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Stored } from '../../lib/api/meta.ts';
import type { Ref } from '../../lib/kube/types.ts';
import { type Told, withTimes } from '../controllers/conditions.ts';
import { follow, messageOf, type Part } from '../controllers/loop.ts';
import { folder, podsFolder } from '../node/host.ts';
import { endLeftovers } from '../node/leftover.ts';
import { serve } from './front.ts';
import { type FunctionOptions, Instance } from './instance.ts';
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
  generation: number | undefined;
  server: Server;
  url: string;
  instance: Instance;
}

const FORCED = 1000;

class Runner implements Functions {
  private readonly fronts = new Map<string, Front>();
  private readonly ending = new AbortController();
  private readonly retired = new Set<Instance>();
  private readonly options: FunctionOptions;
  private readonly namespace: string;
  private following: Promise<void> = Promise.resolve();

  constructor(options: FunctionOptions, namespace: string) {
    this.options = { ...options, dataFolder: folder(options.dataFolder, 'functions') };
    this.namespace = namespace;
  }

  async start(): Promise<void> {
    const { signal } = this.ending;
    for (const name of readdirSync(podsFolder(this.options))) await endLeftovers(this.options, name, FORCED);
    const { items } = await this.options.client.list(SERVICES, { namespace: this.namespace });
    for (const service of items) await this.changed(service, 'ADDED');
    const changed = (service: Stored<Service>, type: string) => this.changed(service, type);
    this.following = follow(this.options, SERVICES, { signal, namespace: this.namespace, changed });
  }

  running(): string[] {
    return [...this.fronts].filter(([, { instance }]) => instance.isRunning).map(([name]) => name);
  }

  address({ namespace, name }: Ref): string | undefined {
    return namespace === this.namespace ? this.fronts.get(name)?.url : undefined;
  }

  coldStarts(): Record<string, number[]> {
    return Object.fromEntries([...this.fronts].map(([name, { instance }]) => [name, [...instance.coldStarts]]));
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.following;
    const fronts = [...this.fronts.values()];
    for (const { server } of fronts) server.closeAllConnections();
    await Promise.all(fronts.map(({ server }) => new Promise((resolve) => server.close(resolve))));
    await Promise.all([...this.retired, ...fronts.map(({ instance }) => instance)].map((instance) => instance.stop()));
  }

  private async changed(service: Stored<Service>, type: string): Promise<void> {
    const { name, generation } = service.metadata;
    const old = this.fronts.get(name);
    if (type === 'DELETED') return this.close(name);
    if (old?.generation === generation && old) return;
    const wanted = wantedOf(service, this.options.functionsFolder);
    if ('missing' in wanted) {
      this.close(name);
      return this.report(service, wanted.missing);
    }
    if (old) this.retire(old.instance);
    const next = { generation, instance: new Instance(this.options, wanted) };
    this.fronts.set(name, old ? { ...old, ...next } : await this.open(name, next));
    await this.report(service);
  }

  private close(name: string): void {
    const front = this.fronts.get(name);
    if (!front) return;
    this.retire(front.instance);
    front.server.close();
    this.fronts.delete(name);
  }

  private retire(instance: Instance): void {
    instance.retire();
    this.retired.add(instance);
  }

  private async open(name: string, rest: Pick<Front, 'generation' | 'instance'>): Promise<Front> {
    const server = createServer((incoming, response) => {
      const front = this.fronts.get(name);
      if (front) void serve(front.instance, incoming, response);
      else response.writeHead(404).end();
    });
    return { ...rest, server, url: `http://127.0.0.1:${await listen(server)}` };
  }

  private async report(
    { apiVersion, kind, metadata, status: before }: Stored<Service>,
    missing?: string,
  ): Promise<void> {
    const { name, namespace = '', uid, generation: observedGeneration } = metadata;
    const is =
      missing === undefined ? { status: 'True' } : { status: 'False', reason: 'ContainerMissing', message: missing };
    const told: Told[] = ['ConfigurationsReady', 'RoutesReady', 'Ready'].map((type) => ({ type, ...is }));
    const url = this.fronts.get(name)?.url;
    const conditions = withTimes(told, before?.conditions, this.options.now());
    const status = { observedGeneration, conditions, ...(url === undefined ? {} : { url, address: { url } }) };
    try {
      await this.options.client.applyStatus(SERVICES, { apiVersion, kind, metadata: { name, namespace, uid }, status });
    } catch (error) {
      this.options.log(`status of function ${name}: ${messageOf(error)}`);
    }
  }
}

/** Runs until stopped. Ready when each Service that is there has its front. */
export async function startFunctions(options: FunctionOptions, namespace = 'tiny-system'): Promise<Functions> {
  const runner = new Runner(options, namespace);
  await runner.start();
  return runner;
}
