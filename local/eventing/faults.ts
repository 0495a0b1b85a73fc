/** Makes events go wrong on purpose, before the broker sees them: what can happen between any two parts of Knative. */
import { randomUUID } from 'node:crypto';
import { sleep } from '../controllers/loop.ts';
import type { CloudEvent } from './cloud-event.ts';

/** Rates from 0 to 1; may be changed while it runs. */
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
interface Held {
  release: () => void;
}

/** Wraps `send`. The sender of a lost, delayed or held event is told 202. */
export function withFaults(
  send: Send,
  faults: Faults,
  { random, signal }: { random: () => number; signal: AbortSignal },
): Send {
  const held = new Set<Held>();
  const happens = (rate = 0) => random() < rate;
  const limit = () => faults.delayMs ?? 1000;
  const later = async (event: CloudEvent, until: Promise<unknown>) => {
    await until;
    if (!signal.aborted) await send(event);
  };
  const hold = () => {
    const gone = new AbortController();
    held.add({ release: () => gone.abort() });
    return sleep(limit(), AbortSignal.any([gone.signal, signal]));
  };
  const pass = async (event: CloudEvent): Promise<number> => {
    const before = [...held];
    held.clear();
    const code = await send(event);
    for (const { release } of before) release();
    return code;
  };
  const double = ({ attributes, ...rest }: CloudEvent) =>
    void send({ ...rest, attributes: { ...attributes, id: randomUUID() } });
  const put = (event: CloudEvent, until: Promise<void>) => {
    void later(event, until);
    return 202;
  };
  return async (event) => {
    if (happens(faults.lose)) return 202;
    if (happens(faults.double)) double(event);
    if (happens(faults.delay)) return put(event, sleep(random() * limit(), signal));
    return happens(faults.reorder) ? put(event, hold()) : pass(event);
  };
}
