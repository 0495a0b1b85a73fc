/** A small cluster in memory for tests of commands: what it holds, who asks, and which faults come when. */
import type { KubeObject, Person, Stored } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Send } from '../../lib/kube/send.ts';
import {
  type Client,
  type ListOptions,
  type Patch,
  QUESTIONS,
  type Ref,
  type ResourceType,
  type WatchEvent,
  type WatchOptions,
} from '../../lib/kube/types.ts';
import { jsonPatch } from '../../local/apply/json-patch.ts';
import { merge } from '../../local/apply/merge.ts';

export interface Fake {
  client: Client;
  /** Puts an object as if somebody else had written it. */
  put(type: ResourceType, object: KubeObject): Stored<KubeObject>;
  remove(type: ResourceType, ref: Ref): void;
  read<T extends KubeObject>(type: ResourceType<T>, ref: Ref): Stored<T> | undefined;
  /** Every request as `METHOD what`. */
  requests: string[];
  /** What was asked for by its path, whole. */
  paths: string[];
  /** Called before each request; throws to make it fail. */
  fault: (request: string) => void;
  me: Person;
  knative: boolean;
  log: string;
  /** Takes what is sent to a container. */
  send: Send;
  /** The Kubernetes Events that a path selects. */
  eventsAt?: (path: string) => object[];
  /** The log at a path, instead of `log`. */
  logAt?: (path: string, signal?: AbortSignal) => string | AsyncIterable<string>;
}

type Any = Stored<KubeObject>;
type Listener = (event: WatchEvent<Any>) => void;

const notFound = (type: ResourceType, name: string) =>
  new ApiError(404, { reason: 'NotFound', message: `${type.plural}.${type.group} "${name}" not found` });
const conflict = (name: string) =>
  new ApiError(409, { reason: 'Conflict', message: `"${name}": the object has been modified` });

export function makeFake(now: () => Date): Fake {
  const objects = new Map<string, Any>();
  const listeners = new Map<Listener, ResourceType>();
  let version = 100;
  const key = ({ plural }: ResourceType, { namespace, name }: Ref) => `${plural}/${namespace}/${name}`;
  const store = (type: ResourceType, object: KubeObject): Any => {
    const at = key(type, object.metadata);
    const before = objects.get(at);
    version += 1;
    const metadata = {
      creationTimestamp: now().toISOString(),
      uid: `uid-${version}`,
      ...before?.metadata,
      ...object.metadata,
      resourceVersion: String(version),
    };
    const stored = { ...structuredClone(object), metadata } as Any;
    objects.set(at, stored);
    for (const [listener, of] of listeners) {
      if (of.plural === type.plural) listener({ type: before ? 'MODIFIED' : 'ADDED', object: stored });
    }
    return structuredClone(stored);
  };
  const select = (type: ResourceType, { namespace, labelSelector, fieldSelector }: ListOptions) =>
    [...objects.entries()]
      .filter(([at]) => at.startsWith(`${type.plural}/${namespace ?? ''}`))
      .map(([, object]) => structuredClone(object))
      .filter(({ metadata }) => !fieldSelector || fieldSelector === `metadata.name=${metadata.name}`)
      .filter(({ metadata }) => {
        const [label = '', value] = labelSelector?.split('=') ?? [];
        return !labelSelector || metadata.labels?.[label] === value;
      });
  const asked = (request: string) => {
    fake.requests.push(request);
    fake.fault(request);
  };
  const patched = (object: Any, patch: Patch): Any => {
    const next = (patch.type === 'merge' ? merge(object, patch.body) : jsonPatch(object, patch.body)) as Any;
    if (next.metadata.resourceVersion !== object.metadata.resourceVersion) throw conflict(object.metadata.name);
    return next;
  };
  const client = {
    fieldManager: 'tiny',
    get: async (type: ResourceType, ref: Ref) => {
      asked(`GET ${type.plural} ${ref.name}`);
      return structuredClone(objects.get(key(type, ref)));
    },
    list: async (type: ResourceType, options: ListOptions = {}) => {
      asked(`LIST ${type.plural}`);
      return { items: select(type, options), resourceVersion: String(version) };
    },
    async *watch(type: ResourceType, options: WatchOptions) {
      asked(`WATCH ${type.plural}`);
      const queue: WatchEvent<Any>[] = select(type, options).map((object) => ({ type: 'ADDED', object }));
      let wake = () => {};
      const listener: Listener = (event) => {
        queue.push(structuredClone(event));
        wake();
      };
      listeners.set(listener, type);
      try {
        while (!options.signal.aborted) {
          const event = queue.shift();
          if (event) yield event;
          else {
            await new Promise<void>((resolve) => {
              wake = resolve;
              options.signal.addEventListener('abort', () => resolve(), { once: true });
            });
          }
        }
      } finally {
        listeners.delete(listener);
      }
    },
    create: async (type: ResourceType, object: KubeObject) => {
      asked(`CREATE ${type.plural} ${object.metadata.name}`);
      if (objects.has(key(type, object.metadata))) {
        throw new ApiError(409, { reason: 'AlreadyExists', message: `"${object.metadata.name}" already exists` });
      }
      return store(type, object);
    },
    apply: async (type: ResourceType, object: KubeObject, { dryRun = false } = {}) => {
      asked(`${dryRun ? 'DRY RUN' : 'APPLY'} ${type.plural} ${object.metadata.name}`);
      const live = objects.get(key(type, object.metadata));
      return dryRun
        ? (merge(structuredClone(live ?? {}), structuredClone(object) as never) as Any)
        : store(type, object);
    },
    applyStatus: async (type: ResourceType, object: KubeObject & { status?: unknown }) => {
      asked(`STATUS ${type.plural} ${object.metadata.name}`);
      const before = objects.get(key(type, object.metadata));
      if (!before) throw notFound(type, object.metadata.name);
      return store(type, { ...before, status: object.status } as KubeObject);
    },
    patch: async (type: ResourceType, ref: Ref, patch: Patch) => {
      asked(`PATCH ${type.plural} ${ref.name}`);
      const object = objects.get(key(type, ref));
      if (!object) throw notFound(type, ref.name);
      return store(type, patched(object, patch));
    },
    delete: async (type: ResourceType, ref: Ref, { uid }: { uid?: string } = {}) => {
      asked(`DELETE ${type.plural} ${ref.name}`);
      if (uid && objects.get(key(type, ref))?.metadata.uid !== uid) throw conflict(ref.name);
      objects.delete(key(type, ref));
    },
    as: () => client,
    request: async (method: string, path: string, body?: unknown) => {
      fake.paths.push(`${method} ${path}`);
      asked(`${method} ${path.split('?')[0]}`);
      const [, name = ''] = /\/questions\/([^?]+)/.exec(path) ?? [];
      if (method === 'PATCH')
        return client.patch(QUESTIONS, { namespace: 'demo', name }, { type: 'merge', body } as Patch);
      if (path.includes('selfsubjectreviews')) return { status: { userInfo: fake.me } };
      if (path === '/apis') return { groups: fake.knative ? [{ name: 'eventing.knative.dev' }] : [] };
      if (path === '/api/v1') return { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] };
      if (path === '/version') return { gitVersion: 'v1.37.2' };
      if (path.includes('dryRun=All')) return body;
      if (path.includes('/events')) return { items: fake.eventsAt?.(path) ?? [] };
      throw new ApiError(404, { message: '404 page not found' });
    },
    async *stream(path: string, signal?: AbortSignal) {
      asked(`STREAM ${path}`);
      const log = fake.logAt?.(path, signal) ?? fake.log;
      if (typeof log === 'string') yield log;
      else yield* log;
    },
  } as unknown as Client;
  const fake: Fake = {
    client,
    put: store,
    remove: (type, ref) => {
      const object = objects.get(key(type, ref));
      objects.delete(key(type, ref));
      for (const [listener, of] of listeners) if (object && of === type) listener({ type: 'DELETED', object });
    },
    read: <T extends KubeObject>(type: ResourceType<T>, ref: Ref) =>
      structuredClone(objects.get(key(type, ref))) as Stored<T> | undefined,
    requests: [],
    paths: [],
    fault: () => {},
    me: { username: 'alice', groups: ['system:authenticated'] },
    knative: true,
    log: '',
    send: async (path) => asked(`SEND ${path}`),
  };
  return fake;
}
