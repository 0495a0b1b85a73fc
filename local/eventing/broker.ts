/**
 * The in-memory broker: an event goes to every trigger whose filter it passes. It answers its sender when every
 * trigger has answered, retries included, unless the Broker was made with the annotation for an asynchronous
 * handler. An event on its way when the stand-in is killed is lost, as with Knative's in-memory channel.
 */
import type { Stored } from '../../lib/api/meta.ts';
import type { Ref } from '../../lib/kube/types.ts';
import { keyOf, messageOf, type World } from '../controllers/loop.ts';
import type { CloudEvent } from './cloud-event.ts';
import { type Address, deliver, isoDuration } from './delivery.ts';
import { filterProblem, fits } from './filters.ts';
import type { Broker, Delivery, Destination, Trigger } from './kinds.ts';

const ASYNC = 'messaging.knative.dev/async-handler';
/** What Knative ships in `config-br-defaults`: 205 seconds in all. */
const SHIPPED: Delivery = { retry: 10, backoffPolicy: 'exponential', backoffDelay: 'PT0.2S' };

/** Whether an event passes `spec.filters`, and without any `spec.filter`: each attribute is equal, `''` asks only that it is there. */
export function passes({ attributes }: CloudEvent, { spec }: Trigger): boolean {
  if (spec.filters?.length) return spec.filters.every((filter) => fits(filter, attributes));
  return Object.entries(spec.filter?.attributes ?? {}).every(([name, wanted]) => {
    const value = attributes[name];
    return wanted === '' ? value !== undefined : value === wanted;
  });
}

/** Why a trigger can't be served; `undefined` where it can. */
export function triggerProblem({ spec }: Trigger): string | undefined {
  const unread = (spec.filters ?? []).map(filterProblem).find(Boolean);
  if (unread) return unread;
  try {
    isoDuration(spec.delivery?.backoffDelay ?? 'PT0S');
  } catch (error) {
    return messageOf(error);
  }
}

/** Turns a destination of an object in `namespace` into an address. */
export type Resolve = (destination: Destination, namespace: string) => Address;

export class Brokers {
  readonly triggers = new Map<string, Stored<Trigger>>();
  private readonly brokers = new Map<string, { broker: Stored<Broker>; isAsync: boolean }>();
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly ending = new AbortController();
  private readonly world: World;
  private readonly resolve: Resolve;

  constructor(world: World, resolve: Resolve) {
    this.world = world;
    this.resolve = resolve;
  }

  /** The annotation counts as it was when the Broker was first seen: added later it does not help. */
  set(broker: Stored<Broker>): void {
    const key = keyOf(broker.metadata);
    const old = this.brokers.get(key);
    const known = old?.broker.metadata.uid === broker.metadata.uid ? old.isAsync : undefined;
    this.brokers.set(key, { broker, isAsync: known ?? broker.metadata.annotations?.[ASYNC] === 'true' });
  }

  delete({ metadata }: Broker): void {
    this.brokers.delete(keyOf(metadata));
  }

  /** Takes an event in; the HTTP status that its sender gets. */
  async send(ref: Ref, event: CloudEvent): Promise<number> {
    const found = this.brokers.get(keyOf(ref));
    if (!found) return 404;
    const { attributes } = event;
    const arrived = { ...event, attributes: { ...attributes, knativearrivaltime: this.world.now().toISOString() } };
    const fitting = [...this.triggers.values()].filter(
      (trigger) =>
        trigger.metadata.namespace === ref.namespace &&
        trigger.spec.broker === ref.name &&
        !triggerProblem(trigger) &&
        passes(arrived, trigger),
    );
    const all = Promise.all(fitting.map((trigger) => this.give(arrived, trigger, found.broker)));
    this.underWay.add(all);
    void all.finally(() => this.underWay.delete(all));
    if (!found.isAsync) await all;
    return 202;
  }

  /** Gives up what is under way. */
  async stop(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.underWay);
  }

  private async give(event: CloudEvent, { metadata, spec }: Stored<Trigger>, broker: Broker): Promise<void> {
    const { namespace = '', name } = metadata;
    const delivery = spec.delivery ?? broker.spec?.delivery ?? SHIPPED;
    const sink = delivery.deadLetterSink;
    const subscriber = {
      address: this.resolve(spec.subscriber, namespace),
      name: `trigger ${namespace}/${name}`,
      namespace,
      delivery,
      deadLetterSink: sink && this.resolve(sink, namespace),
    };
    const failed = await deliver(event, subscriber, this.ending.signal).catch(messageOf);
    if (failed) this.world.log(failed);
  }
}
