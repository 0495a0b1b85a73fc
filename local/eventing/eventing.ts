/**
 * The stand-in's eventing: follows the Brokers, Triggers and sources that are there and says in their status whether
 * they are served. The same manifests as a real cluster's.
 */
import type { Stored } from '../../lib/api/meta.ts';
import type { Ref, ResourceType } from '../../lib/kube/types.ts';
import { type Part, runEach, type World } from '../controllers/loop.ts';
import { reportServed, type Served } from '../controllers/status.ts';
import { Brokers, deliveryProblem, triggerProblem } from './broker.ts';
import { deliver } from './delivery.ts';
import { type Faults, type Send, withFaults } from './faults.ts';
import { API_SERVER_SOURCES, BROKERS, type Delivery, type Destination, PING_SOURCES, TRIGGERS } from './kinds.ts';
import { pingProblem, startPing } from './ping.ts';
import { sourceProblem, startSource } from './source.ts';

export interface EventingOptions extends World {
  /** The API server's URL. */
  apiServer: string;
  /** Where a Knative Service is reached. */
  address: (ref: Ref) => string | undefined;
  faults?: Faults;
}

/** What an object of one kind becomes. `problem`: what the stand-in does not do of it; then it is not started. */
interface Serving<T extends Served> {
  problem: (object: Stored<T>) => string | undefined;
  start: (object: Stored<T>, tell: (problem?: string) => unknown) => Part | Promise<Part>;
}

const sinkProblem = ({ ref }: Destination): string | undefined =>
  ref?.kind === 'Broker' || ref?.kind === 'Service'
    ? undefined
    : 'the stand-in’s sources send to a Broker or a Service by ref';

const ONCE: Delivery = {};

type Sinking = Stored<Served & { spec: { sink: Destination } }>;

/** How a source sends: to a Broker with the faults that were asked for, to a Service as it is. */
const senderOf =
  (options: EventingOptions, brokers: Brokers, signal: AbortSignal) =>
  ({ metadata: { namespace = '' }, spec }: Sinking): Send => {
    const to = { namespace, name: '', ...spec.sink.ref };
    if (to.kind === 'Service') {
      const subscriber = { address: () => options.address(to), namespace, delivery: ONCE };
      return async (event) => ((await deliver(event, subscriber, signal)) ? 500 : 202);
    }
    const { faults = {}, random } = options;
    return withFaults((event) => brokers.send(to, event), faults, { random, signal });
  };

/** Runs until stopped; what is under way then is given up. Resolves when an event of now reaches its triggers. */
export async function startEventing(options: EventingOptions): Promise<Part> {
  const brokers = new Brokers(options, options.address);
  const ending = new AbortController();
  const sinkOf = senderOf(options, brokers, ending.signal);
  const serve = <T extends Served>(type: ResourceType<T>, { problem, start }: Serving<T>): Promise<Part> =>
    runEach(options, type, async (object) => {
      const why = problem(object);
      const tell = (told?: string) => reportServed(options, type, { object, problem: told });
      if (why === undefined) return start(object, tell);
      await tell(why);
      return { stop: async () => undefined };
    });
  const parts = [
    await serve(BROKERS, {
      problem: ({ spec }) => deliveryProblem(spec?.delivery),
      start: (broker, tell) => {
        void tell();
        return brokers.addBroker(broker);
      },
    }),
    await serve(TRIGGERS, {
      problem: triggerProblem,
      start: (trigger, tell) => {
        void tell();
        return brokers.addTrigger(trigger);
      },
    }),
    await serve(API_SERVER_SOURCES, {
      problem: (source) => sourceProblem(source) ?? sinkProblem(source.spec.sink),
      start: (source, tell) => startSource(source, { ...options, send: sinkOf(source), tell }),
    }),
    await serve(PING_SOURCES, {
      problem: (source) => pingProblem(source) ?? sinkProblem(source.spec.sink),
      start: (source, tell) => {
        void tell();
        return startPing(source, sinkOf(source), options);
      },
    }),
  ];
  const stop = async () => {
    ending.abort();
    await brokers.stop();
    await Promise.all(parts.map((part) => part.stop()));
  };
  return { stop };
}
