/**
 * The stand-in's eventing: follows the Brokers, Triggers and sources that are there and says in their status whether
 * they are served. The same manifests as a real cluster's.
 */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Ref, ResourceType } from '../../lib/kube/types.ts';
import { type Told, withTimes } from '../controllers/conditions.ts';
import { follow, keyOf, messageOf, type Part, type World } from '../controllers/loop.ts';
import { Brokers, triggerProblem } from './broker.ts';
import { headersOf } from './cloud-event.ts';
import { post } from './delivery.ts';
import { type Faults, type Send, withFaults } from './faults.ts';
import { API_SERVER_SOURCES, BROKERS, type Destination, PING_SOURCES, TRIGGERS } from './kinds.ts';
import { pingProblem, startPing } from './ping.ts';
import { sourceProblem, startSource } from './source.ts';

export interface EventingOptions extends World {
  /** The API server's URL. */
  apiServer: string;
  /** Where a Knative Service is reached. */
  address: (ref: Ref) => string | undefined;
  faults?: Faults;
}

type Reporting = KubeObject & { status?: { conditions?: Told[] } };

class Eventing {
  readonly brokers: Brokers;
  readonly ending = new AbortController();
  private readonly options: EventingOptions;
  /** By uid: what was said last. */
  private readonly told = new Map<string, Told>();
  private readonly sources = new Map<string, { generation: number | undefined; part: Part | undefined }>();

  constructor(options: EventingOptions) {
    this.options = options;
    this.brokers = new Brokers(options, (to, namespace) => () => this.resolve(to, namespace));
  }

  /** Runs a source as its spec is now: a changed spec starts it anew, and so loses what comes meanwhile. */
  async source<T extends Reporting>(object: Stored<T>, gone: boolean, start: () => Part | undefined): Promise<void> {
    const key = `${object.kind}/${keyOf(object.metadata)}`;
    const { generation } = object.metadata;
    const old = this.sources.get(key);
    if (!gone && old?.generation === generation && old) return;
    this.sources.delete(key);
    await old?.part?.stop();
    if (!gone) this.sources.set(key, { generation, part: start() });
  }

  /** What a source sends to. */
  sink({ ref, uri }: Destination, namespace: string): Send {
    const { options, ending } = this;
    const to = { namespace: ref?.namespace ?? namespace, name: ref?.name ?? '' };
    const direct: Send = async (event) => {
      const url = this.resolve({ ...(ref ? { ref } : {}), ...(uri ? { uri } : {}) }, namespace);
      if (url === undefined) return 404;
      return (await post({ url, headers: headersOf(event, namespace), body: event.body, signal: ending.signal })).code;
    };
    const send: Send = ref?.kind === 'Broker' ? (event) => this.brokers.send(to, event) : direct;
    return withFaults(send, options.faults ?? {}, { random: options.random, signal: ending.signal });
  }

  /** Says Ready, or why not; nothing is written where it says so already. */
  async report(
    type: ResourceType,
    { apiVersion, kind, metadata, status }: Stored<Reporting>,
    problem?: string,
  ): Promise<void> {
    const { name, namespace = '', uid, generation: observedGeneration } = metadata;
    const message = problem === undefined ? {} : { reason: 'NotServed', message: problem };
    const told: Told = { type: 'Ready', status: problem === undefined ? 'True' : 'False', ...message };
    const before = this.told.get(uid) ?? status?.conditions?.find((condition) => condition.type === 'Ready');
    this.told.set(uid, told);
    if (before?.status === told.status && before.message === told.message) return;
    const conditions = withTimes([told], status?.conditions, this.options.now());
    try {
      const object = {
        apiVersion,
        kind,
        metadata: { name, namespace, uid },
        status: { observedGeneration, conditions },
      };
      await this.options.client.applyStatus(type, object);
    } catch (error) {
      this.options.log(`status of ${kind} ${namespace}/${name}: ${messageOf(error)}`);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.brokers.stop(), ...[...this.sources.values()].map(({ part }) => part?.stop())]);
  }

  private resolve({ ref, uri }: Destination, namespace: string): string | undefined {
    if (!ref) return uri;
    const base = this.options.address({ namespace: ref.namespace ?? namespace, name: ref.name });
    return base === undefined ? undefined : new URL(uri ?? '', base).href;
  }
}

function followBrokers(eventing: Eventing, options: EventingOptions): Promise<void>[] {
  const { brokers, ending } = eventing;
  const { signal } = ending;
  return [
    follow(options, BROKERS, {
      signal,
      changed: (broker, type) => {
        if (type === 'DELETED') return brokers.delete(broker);
        brokers.set(broker);
        return eventing.report(BROKERS, broker);
      },
    }),
    follow(options, TRIGGERS, {
      signal,
      changed: (trigger, type) => {
        const key = keyOf(trigger.metadata);
        if (type === 'DELETED') return void brokers.triggers.delete(key);
        brokers.triggers.set(key, trigger);
        return eventing.report(TRIGGERS, trigger, triggerProblem(trigger));
      },
    }),
  ];
}

function followSources(eventing: Eventing, options: EventingOptions): Promise<void>[] {
  const { signal } = eventing.ending;
  const { apiServer } = options;
  return [
    follow(options, API_SERVER_SOURCES, {
      signal,
      changed: (source, type) =>
        eventing.source(source, type === 'DELETED', () => {
          const problem = sourceProblem(source);
          const ready = (why?: string) => eventing.report(API_SERVER_SOURCES, source, why);
          if (problem !== undefined) return void ready(problem);
          const send = eventing.sink(source.spec.sink, source.metadata.namespace ?? '');
          return startSource(source, { world: options, apiServer, send, ready });
        }),
    }),
    follow(options, PING_SOURCES, {
      signal,
      changed: (source, type) =>
        eventing.source(source, type === 'DELETED', () => {
          const problem = pingProblem(source);
          void eventing.report(PING_SOURCES, source, problem);
          const send = eventing.sink(source.spec.sink, source.metadata.namespace ?? '');
          return problem === undefined ? startPing(source, send, options) : undefined;
        }),
    }),
  ];
}

/** Runs until stopped; what is under way then is given up. */
export function startEventing(options: EventingOptions): Part {
  const eventing = new Eventing(options);
  const following = [...followBrokers(eventing, options), ...followSources(eventing, options)];
  const stop = async () => {
    eventing.ending.abort();
    await eventing.stop();
    await Promise.all(following);
  };
  return { stop };
}
