/** One event to one subscriber, tried again as Knative's dispatcher does. */
import { request } from 'node:http';
import { messageOf, sleep } from '../controllers/loop.ts';
import { type CloudEvent, headersOf } from './cloud-event.ts';
import type { Delivery } from './kinds.ts';

/** How often and when an event is sent again; a wait in milliseconds. */
interface Retrying {
  retries: number;
  wait: (retry: number) => number;
}

/** The retries counted from 0: so linear begins at once. Throws where the stand-in can't do as it says. */
export function retrying({ retry = 0, backoffPolicy, backoffDelay = 'PT0.2S', deadLetterSink }: Delivery): Retrying {
  if (deadLetterSink && deadLetterSink.ref?.kind !== 'Service')
    throw new TypeError('the stand-in’s dead-letter sinks are Services by ref');
  const seconds = Number(/^PT([\d.]+)S$/.exec(backoffDelay)?.[1]);
  if (Number.isNaN(seconds))
    throw new TypeError(`the stand-in reads a backoffDelay in seconds such as PT0.2S, not ${backoffDelay}`);
  return { retries: retry, wait: (count) => seconds * 1000 * (backoffPolicy === 'linear' ? count : 2 ** count) };
}

interface Outcome {
  /** The HTTP status; `undefined` where no answer came. */
  code?: number | undefined;
  /** The answer's body, or why none came. */
  data: string;
}

const isSuccess = ({ code = 0 }: Outcome) => code >= 200 && code < 300;

/** No answer, 5xx, 404, 408, 409, 429; no other 4xx. */
export const isRetried = (code?: number): boolean =>
  code === undefined || code >= 500 || [404, 408, 409, 429].includes(code);

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Never throws. A successful answer with a body that is no CloudEvent counts as 502; one that is is not sent on here. */
const post = ({ url, headers, body }: Post, signal: AbortSignal): Promise<Outcome> =>
  new Promise((resolve) => {
    const silent = (error: unknown) => resolve({ data: `Post "${url}": ${messageOf(error)}` });
    const outgoing = request(url, { method: 'POST', headers, signal, agent: false }, async (answer) => {
      const data = await answer.toArray().then((chunks) => Buffer.concat(chunks).toString(), silent);
      const { statusCode: code = 502 } = answer;
      const isOther = data && answer.headers['ce-specversion'] === undefined;
      resolve({ code: code < 300 && isOther ? 502 : code, data: data ?? '' });
    });
    outgoing.removeHeader('connection');
    outgoing.once('error', silent).end(body);
  });

export interface Subscriber {
  /** Looked up at each try; `undefined` where nothing is there now. */
  address: () => string | undefined;
  namespace: string;
  delivery: Delivery;
}

async function attempt(event: CloudEvent, { address, namespace }: Subscriber, signal: AbortSignal): Promise<Outcome> {
  const url = address();
  if (url === undefined) return { data: 'the subscriber is not there' };
  return post({ url, headers: headersOf(event, namespace), body: event.body }, signal);
}

/** What came of an event that was given up. */
export interface GivenUp {
  /** In one line, for a log. */
  why: string;
  /** The event as a dead-letter sink gets it: with where it was to go, and what came of it. */
  letter: CloudEvent;
}

/** Knative's extensions of a dead letter; an answer that never came counts as 500, and `data` is base64. */
function letterOf(event: CloudEvent, dest: string, { code = 500, data }: Outcome): CloudEvent {
  const errors = {
    knativebrokerttl: '255',
    knativeerrorcode: String(code),
    knativeerrordata: Buffer.from(data).toString('base64'),
    knativeerrordest: dest,
  };
  return { ...event, attributes: { ...event.attributes, ...errors } };
}

/** Delivers, or gives up. Throws as `retrying` does. */
export async function deliver(event: CloudEvent, to: Subscriber, signal: AbortSignal): Promise<GivenUp | undefined> {
  const { retries, wait } = retrying(to.delivery);
  let outcome = await attempt(event, to, signal);
  for (let retry = 0; isRetried(outcome.code) && retry < retries && !signal.aborted; retry++) {
    await sleep(wait(retry), signal);
    outcome = await attempt(event, to, signal);
  }
  const { code, data } = outcome;
  if (isSuccess(outcome) || signal.aborted) return undefined;
  const why = `${code ?? 'no answer'}: ${data.slice(0, 200)}`;
  return { why, letter: letterOf(event, to.address() ?? '', outcome) };
}
