/** Makes events go wrong on purpose, before the broker sees them: what can happen between any two parts of Knative. */
import { randomUUID } from 'node:crypto';
import { sleep } from '../controllers/loop.ts';
import type { CloudEvent } from './cloud-event.ts';

/** Rates from 0 to 1. */
export interface Faults {
  lose?: number;
  /** Sent again at once with an id of its own, as two overlapping adapters do. */
  double?: number;
  /** Sent after up to `delayMs` milliseconds; its sender does not wait. */
  delay?: number;
  /** Held until the next event has gone, or `delayMs` milliseconds. */
  reorder?: number;
  /** Default 1,000. */
  delayMs?: number;
}

export type Send = (event: CloudEvent) => Promise<number>;

/** Wraps `send`. The sender of a lost, delayed or held event is told 202. */
export function withFaults(
  send: Send,
  { lose, double, delay, reorder, delayMs = 1000 }: Faults,
  { random, signal }: { random: () => number; signal: AbortSignal },
): Send {
  const happens = (rate = 0) => random() < rate;
  let overtaken = Promise.withResolvers<void>();
  const sendAfter = (event: CloudEvent, wait: Promise<void>) => {
    void wait.then(() => (signal.aborted ? undefined : send(event)));
    return 202;
  };
  return async (event) => {
    if (happens(lose)) return 202;
    if (happens(double)) void send({ ...event, attributes: { ...event.attributes, id: randomUUID() } });
    if (happens(delay)) return sendAfter(event, sleep(random() * delayMs, signal));
    if (happens(reorder)) return sendAfter(event, Promise.race([overtaken.promise, sleep(delayMs, signal)]));
    const held = overtaken;
    overtaken = Promise.withResolvers();
    const code = await send(event);
    held.resolve();
    return code;
  };
}
