/** The Kubernetes client that everything here uses: paths, bodies and identity around one transport. */
import type { KubeObject, Person, Stored } from '../api/meta.ts';
import { type Header, impersonationHeaders } from '../identity/impersonation-headers.ts';
import { makeApply } from './apply.ts';
import { type Clock, systemClock } from './clock.ts';
import { ConnectionError, isNotFound } from './errors.ts';
import { decode } from './lines.ts';
import { list } from './list.ts';
import { collectionPath, objectPath, query } from './path.ts';
import { type RetryPolicy, retrying } from './retry.ts';
import { type Exchange, makeTransport, type Transport, type TransportConfig } from './transport.ts';
import type { Client, ListOptions, Patch, Precondition, Ref, ResourceType, WatchOptions } from './types.ts';
import { watch } from './watch.ts';

/** Which API server, and as whom. */
export type ServerConfig = Omit<TransportConfig, 'now' | 'userAgent'> & {
  /** Act as this person from the start (a kubeconfig's `as`). */
  impersonate?: Person | undefined;
};

export type ClientConfig = ServerConfig & {
  /** Owns the fields that this client sets; also its user agent. */
  fieldManager: string;
  retry?: RetryPolicy | undefined;
};

interface Context {
  transport: Transport;
  clock: Clock;
  config: ClientConfig;
  identity: readonly Header[];
}

type Asked = Exchange & { type?: string; idempotent?: boolean };

/** How long a watch may be silent; the API server sends a bookmark about once a minute. Milliseconds. */
const WATCH_SILENCE_MS = 150_000;
/** After this the API server ends a watch, and it is resumed. Seconds. */
const WATCH_SECONDS = 300;
/** A pod's log may be silent for long; `signal` ends it. Milliseconds. */
const STREAM_SILENCE_MS = 24 * 60 * 60 * 1000;

/** Of an object the API server gives the name; of a resource that it does not serve, it does not. */
const isAbsent = (error: unknown) => isNotFound(error) && error.status.details?.name !== undefined;

function parse<T>(text: string, { method, path }: Asked): T {
  try {
    return (text ? JSON.parse(text) : undefined) as T;
  } catch (cause) {
    throw new ConnectionError(`the answer to ${method} ${path} is no JSON: ${text.slice(0, 100)}`, { cause });
  }
}

function makeCalls({ transport, clock, config, identity }: Context) {
  const exchange = ({ type, headers = [], ...asked }: Asked): Exchange => ({
    ...asked,
    headers: [...identity, ...(type ? [['content-type', type] as const] : []), ...headers],
  });
  const again = { clock, policy: config.retry };
  return {
    json: async <T>(asked: Asked): Promise<T> => {
      const idempotent = asked.idempotent ?? asked.method !== 'POST';
      const options = { ...again, idempotent, signal: asked.signal };
      return parse<T>(await retrying(() => transport.read(exchange(asked)), options), asked);
    },
    open: (asked: Asked) =>
      retrying(() => transport.open(exchange(asked)), { ...again, idempotent: true, signal: asked.signal }),
  };
}

type Calls = ReturnType<typeof makeCalls>;

const JSON_TYPE = 'application/json';
const APPLY_TYPE = 'application/apply-patch+yaml';
const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

function makeReads({ json, open }: Calls, { clock }: Context): Pick<Client, 'get' | 'list' | 'watch' | 'stream'> {
  const listing = <T extends KubeObject>(type: ResourceType<T>, options: ListOptions, signal?: AbortSignal) =>
    list((path) => json({ method: 'GET', path, signal }), type, options);
  return {
    get: async <T extends KubeObject>(type: ResourceType<T>, ref: Ref) => {
      try {
        return await json<Stored<T>>({ method: 'GET', path: objectPath(type, ref) });
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    list: (type, options = {}) => listing(type, options),
    watch: <T extends KubeObject>(type: ResourceType<T>, { signal: ended, ...options }: WatchOptions) => {
      const { namespace, labelSelector, fieldSelector } = options;
      const selected = { labelSelector, fieldSelector, watch: true, allowWatchBookmarks: true };
      return watch<Stored<T>>(
        {
          clock,
          list: (signal) => listing(type, options, signal),
          open: (resourceVersion, signal) => {
            const parameters = { ...selected, timeoutSeconds: WATCH_SECONDS, resourceVersion };
            const path = collectionPath(type, namespace) + query(parameters);
            return open({ method: 'GET', path, signal, timeoutMs: WATCH_SILENCE_MS });
          },
        },
        ended,
      );
    },
    stream: async function* (path, signal) {
      yield* decode(await open({ method: 'GET', path, signal, timeoutMs: STREAM_SILENCE_MS }));
    },
  };
}

type Writes = Pick<Client, 'create' | 'patch' | 'delete' | 'request'>;

function makeWrites({ json }: Calls, fieldManager: string): Writes {
  const manager = query({ fieldManager });
  return {
    create: (type, object) => {
      const path = collectionPath(type, object.metadata.namespace) + manager;
      return json({ method: 'POST', path, type: JSON_TYPE, body: JSON.stringify(object) });
    },
    patch: (type, ref, { type: form, body }: Patch) =>
      json({
        method: 'PATCH',
        path: objectPath(type, ref) + manager,
        type: PATCH_TYPES[form],
        body: JSON.stringify(body),
        // A JSON patch may append, which twice is not the same as once.
        idempotent: form === 'merge',
      }),
    delete: async (type, ref, preconditions?: Precondition) => {
      const body = preconditions && JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions });
      try {
        await json({ method: 'DELETE', path: objectPath(type, ref), ...(body && { type: JSON_TYPE, body }) });
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
    request: (method, path, body) => {
      const type = method === 'PATCH' ? PATCH_TYPES.merge : JSON_TYPE;
      return json({ method, path, ...(body !== undefined && { type, body: JSON.stringify(body) }) });
    },
  };
}

function clientOf(context: Context): Client {
  const { fieldManager } = context.config;
  const calls = makeCalls(context);
  const reads = makeReads(calls, context);
  const send = <T>(path: string, body: string) => calls.json<T>({ method: 'PATCH', path, type: APPLY_TYPE, body });
  return {
    fieldManager,
    ...reads,
    ...makeWrites(calls, fieldManager),
    ...makeApply(send, { get: reads.get, fieldManager }),
    as: (person) => clientOf({ ...context, identity: impersonationHeaders(person) }),
  };
}

/**
 * A client of one API server. Its connections are kept alive and shared by all that `as` gives, and keep no process
 * alive. `as` throws ImpersonationRefused for who can't be acted for.
 */
export function makeClient(config: ClientConfig, clock: Clock = systemClock): Client {
  const transport = makeTransport({ ...config, userAgent: config.fieldManager, now: clock.now });
  const identity = config.impersonate ? impersonationHeaders(config.impersonate) : [];
  return clientOf({ transport, clock, config, identity });
}
