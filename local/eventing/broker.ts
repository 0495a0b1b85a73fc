/**
 * The in-memory brokers: an event goes to every trigger whose filters it passes. A Broker answers its sender when every
 * trigger has answered, retries included, unless it was made with the annotation for an asynchronous handler. An
 * event on its way when the stand-in is killed is lost, as with Knative's in-memory channel.
 */
import type { Stored } from '../../lib/api/meta.ts';
import type { Ref } from '../../lib/kube/types.ts';
import { keyOf, messageOf, type Part, type World } from '../controllers/loop.ts';
import type { CloudEvent } from './cloud-event.ts';
import { deliver, retrying } from './delivery.ts';
import { filterProblem, fits } from './filters.ts';
import type { Broker, Delivery, Trigger } from './kinds.ts';

const ASYNC = 'messaging.knative.dev/async-handler';
/** What Knative ships in `config-br-defaults`: 205 seconds in all. */
const SHIPPED: Delivery = { retry: 10, backoffPolicy: 'exponential', backoffDelay: 'PT0.2S' };

/** Why a delivery can't be done as it says; `undefined` where it can. */
export function deliveryProblem(delivery: Delivery = {}): string | undefined {
  try {
    retrying(delivery);
  } catch (error) {
    return messageOf(error);
  }
}

/** Why a trigger can't be served; `undefined` where it can. */
export function triggerProblem({ spec }: Trigger): string | undefined {
  if (spec.filter) return 'the stand-in reads spec.filters, not spec.filter';
  if (!spec.subscriber.ref) return 'the stand-in sends to a Service by ref, not to a uri';
  return (spec.filters ?? []).map(filterProblem).find(Boolean) ?? deliveryProblem(spec.delivery);
}

export class Brokers {
  private readonly triggers = new Map<string, Stored<Trigger>>();
  private readonly brokers = new Map<string, Stored<Broker>>();
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly ending = new AbortController();
  private readonly world: World;
  private readonly address: (ref: Ref) => string | undefined;

  /** `address`: where a Service is reached. */
  constructor(world: World, address: (ref: Ref) => string | undefined) {
    this.world = world;
    this.address = address;
  }

  addBroker = (broker: Stored<Broker>): Part => add(this.brokers, broker);
  addTrigger = (trigger: Stored<Trigger>): Part => add(this.triggers, trigger);

  /** Takes an event in; the HTTP status that its sender gets. */
  async send(ref: Ref, event: CloudEvent): Promise<number> {
    const broker = this.brokers.get(keyOf(ref));
    if (!broker) return 404;
    const attributes = { ...event.attributes, knativearrivaltime: this.world.now().toISOString() };
    const fitting = [...this.triggers.values()].filter(
      ({ metadata, spec }) =>
        metadata.namespace === ref.namespace &&
        spec.broker === ref.name &&
        (spec.filters ?? []).every((filter) => fits(filter, attributes)),
    );
    const all = Promise.all(fitting.map((trigger) => this.give({ ...event, attributes }, trigger, broker)));
    this.underWay.add(all);
    void all.finally(() => this.underWay.delete(all));
    if (broker.metadata.annotations?.[ASYNC] !== 'true') await all;
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
    const address = () => this.address({ namespace, name: '', ...spec.subscriber.ref });
    const given = await deliver(event, { address, namespace, delivery }, this.ending.signal);
    if (!given) return;
    this.world.log(`event ${event.attributes['id']} to trigger ${namespace}/${name}: ${given.why}`);
    await this.bury(given.letter, namespace, delivery);
  }

  /** To the dead-letter sink, where there is one; tried as often as the event itself. */
  private async bury(letter: CloudEvent, namespace: string, delivery: Delivery): Promise<void> {
    const { deadLetterSink, ...again } = delivery;
    if (!deadLetterSink) return;
    const address = () => this.address({ namespace, name: '', ...deadLetterSink.ref });
    const lost = await deliver(letter, { address, namespace, delivery: again }, this.ending.signal);
    if (lost) this.world.log(`dead letter ${letter.attributes['id']} is lost: ${lost.why}`);
  }
}

function add<T extends Stored<Broker | Trigger>>(all: Map<string, T>, object: T): Part {
  const key = keyOf(object.metadata);
  all.set(key, object);
  return { stop: async () => void all.delete(key) };
}
