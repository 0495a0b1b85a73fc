/** One event to one subscriber: tried again as Knative's dispatcher does, then given to the dead-letter sink. */
import { request } from 'node:http';
import { messageOf, sleep } from '../controllers/loop.ts';
import { type CloudEvent, deadLetter, headersOf } from './cloud-event.ts';
import type { Delivery } from './kinds.ts';

export interface Outcome {
  /** The HTTP status; 500 where no answer came. */
  code: number;
  /** The answer's body, or why none came. */
  data: string;
  /** No answer came. */
  silent: boolean;
}

/** Milliseconds of an ISO 8601 duration without years and months. Throws where it is none. */
export function isoDuration(text: string): number {
  const [, days, hours, minutes, seconds] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text) ?? badDuration(text);
  const [d = 0, h = 0, m = 0, s = 0] = [days, hours, minutes, seconds].map((part) => Number(part ?? 0));
  return ((d * 24 + h) * 60 + m) * 60_000 + s * 1000;
}
function badDuration(text: string): never {
  throw new TypeError(`backoffDelay ${JSON.stringify(text)} is no ISO 8601 duration such as PT0.2S`);
}

/** Milliseconds before the retry with this number, counted from 0: so linear begins at once. */
export function backOff({ backoffPolicy, backoffDelay = 'PT0.2S' }: Delivery, retry: number): number {
  return isoDuration(backoffDelay) * (backoffPolicy === 'linear' ? retry : 2 ** retry);
}

const isSuccess = ({ code }: Outcome) => code >= 200 && code < 300;
/** No answer, 5xx, 404, 408, 409, 429; no other 4xx. */
export const isRetried = ({ code, silent }: Outcome): boolean =>
  silent || code >= 500 || [404, 408, 409, 429].includes(code);

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** A successful answer with a body that is no CloudEvent counts as 502; one that is a CloudEvent is not sent on here. */
const read = (code: number, data: string, isEvent: boolean): Outcome =>
  code < 300 && data !== '' && !isEvent ? { code: 502, data, silent: false } : { code, data, silent: false };

/** Never throws. */
export const post = ({ url, headers, body, signal }: Post): Promise<Outcome> =>
  new Promise((resolve) => {
    const silent = (error: unknown) => {
      resolve({ code: 500, data: `dispatch error: Post "${url}": ${messageOf(error)}`, silent: true });
    };
    try {
      const outgoing = request(url, { method: 'POST', headers, signal, agent: false }, (answer) => {
        const isEvent = answer.headers['ce-specversion'] !== undefined;
        const end = (data: unknown[]) =>
          resolve(read(answer.statusCode ?? 502, Buffer.concat(data as Buffer[]).toString(), isEvent));
        answer.toArray().then(end, silent);
      });
      outgoing.removeHeader('connection');
      outgoing.once('error', silent).end(body);
    } catch (error) {
      silent(error);
    }
  });

/** Where to, looked up at each try; `undefined` where nothing is there now. */
export type Address = () => string | undefined;

export interface Subscriber {
  address: Address;
  /** Named in dead letters where there is no address. */
  name: string;
  namespace: string;
  delivery: Delivery;
  deadLetterSink: Address | undefined;
}

const NOT_THERE: Outcome = { code: 500, data: 'the subscriber is not there', silent: true };

async function attempt(
  event: CloudEvent,
  { address, namespace, delivery }: Subscriber,
  signal: AbortSignal,
): Promise<Outcome> {
  for (let retry = 0; ; retry++) {
    const url = address();
    const headers = headersOf(event, namespace);
    const outcome = url === undefined ? NOT_THERE : await post({ url, headers, body: event.body, signal });
    if (signal.aborted || !isRetried(outcome) || retry >= (delivery.retry ?? 0)) return outcome;
    await sleep(backOff(delivery, retry), signal);
  }
}

/** Delivers, or gives up: then a dead-letter sink gets it. What happened to the event, as one line, where it failed. */
export async function deliver(event: CloudEvent, to: Subscriber, signal: AbortSignal): Promise<string | undefined> {
  const outcome = await attempt(event, to, signal);
  if (isSuccess(outcome) || signal.aborted) return undefined;
  const { code, data } = outcome;
  const failed = `event ${event.attributes['id']} to ${to.name}: ${code} ${data.slice(0, 200)}`;
  if (!to.deadLetterSink) return failed;
  const dead = deadLetter(event, { destination: to.address() ?? to.name, code, data: data.slice(0, 1024) });
  const { prefer, ...headers } = headersOf(dead, to.namespace);
  const url = to.deadLetterSink();
  const last = url === undefined ? NOT_THERE : await post({ url, headers, body: dead.body, signal });
  return isSuccess(last) ? failed : `${failed}; its dead-letter sink: ${last.code}`;
}
