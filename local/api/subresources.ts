/** A pod's log: which container's is asked for, and how it is streamed. */
import type { ServerResponse } from 'node:http';
import type { Call } from './call.ts';
import { badRequest, notImplemented } from './errors.ts';
import { existing } from './write.ts';

export interface LogOptions {
  follow: boolean;
  /** How many lines from the end; default all. */
  tailLines?: number;
  /** The log of the container's previous run. */
  previous: boolean;
}

/** Where the logs of a pod's containers are read. */
export interface LogTarget {
  namespace: string;
  pod: string;
  container: string;
}

/** The first piece comes at once, be it empty, or the refusal: until then no answer is given. */
export type Logs = (target: LogTarget, options: LogOptions, signal: AbortSignal) => AsyncIterable<string | Uint8Array>;

/** Streams the log of a container, to its end or as long as its client listens. */
export async function sendLog(call: Call, response: ServerResponse): Promise<void> {
  const { api, query, attributes } = call;
  if (!api.logs) throw notImplemented('a node here, and so no logs');
  const target = { namespace: attributes.namespace, pod: attributes.name, container: containerOf(call) };
  const tail = query.get('tailLines');
  const [follow, previous] = ['follow', 'previous'].map((name) => query.get(name) === 'true');
  const options = { follow: follow === true, previous: previous === true, ...(tail && { tailLines: Number(tail) }) };
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  const log = api.logs(target, options, abort.signal)[Symbol.asyncIterator]();
  let piece = await log.next();
  response.setHeader('content-type', 'text/plain');
  response.flushHeaders();
  for (; !piece.done; piece = await log.next()) response.write(piece.value);
  response.end();
}

type Containers = Record<string, { name: string }[] | undefined>;

/** Throws 400 where the request has to name a container, or names none of the pod's. */
export function containerOf(call: Call): string {
  const { name: pod } = call.attributes;
  const { containers = [], initContainers = [] } = existing(call).spec as Containers;
  const names = containers.map(({ name }) => name);
  const container = call.query.get('container') ?? (names.length === 1 ? names[0] : undefined);
  if (!container) {
    throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${names.join(' ')}]`);
  }
  if ([...containers, ...initContainers].some(({ name }) => name === container)) return container;
  throw badRequest(`container ${container} is not valid for pod ${pod}`);
}
