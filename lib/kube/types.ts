/**
 * The words of the Kubernetes API that this project speaks: which resources there are, how one is named, what a
 * client can do with it. Only types and constants, so that pure code may import it.
 */
import type { KubeObject, Person, Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';

/** A kind of object and where the API server serves it. `T` is the object's type. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** `''` is the core group. */
  group: string;
  version: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  /** Carries `T`; never set. */
  readonly object?: T;
}

const type = <T extends KubeObject = KubeObject>(group: string, kind: string, plural: string): ResourceType<T> => ({
  group,
  version: group === 'tiny.dev' ? 'v1alpha1' : 'v1',
  kind,
  plural,
  namespaced: true,
});

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export const SESSIONS = type<Session>('tiny.dev', 'Session', 'sessions');
export const QUESTIONS = type<Question>('tiny.dev', 'Question', 'questions');
export const CLAIMS = type('', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const SECRETS = type('', 'Secret', 'secrets');
export const PODS = type('', 'Pod', 'pods');
export const EVENTS = type('', 'Event', 'events');
export const CONFIG_MAPS = type<ConfigMap>('', 'ConfigMap', 'configmaps');
export const NETWORK_POLICIES = type('networking.k8s.io', 'NetworkPolicy', 'networkpolicies');
export const DEPLOYMENTS = type('apps', 'Deployment', 'deployments');

/** Names one object. */
export interface Ref {
  namespace?: string;
  name: string;
}

export interface ListOptions {
  /** Default: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects a page; pages are fetched as they are read. Default 500. */
  pageSize?: number;
}

/** A list as the API server held it at `resourceVersion`. */
export interface List<T> {
  items: T[];
  resourceVersion: string;
}

export type WatchEvent<T> = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T };

export interface WatchOptions extends ListOptions {
  signal: AbortSignal;
}

/** What must be true of the object for a write to happen; otherwise the API server answers 409. */
export interface Precondition {
  uid?: string;
  resourceVersion?: string;
}

export type Patch =
  | { type: 'merge'; body: Record<string, unknown> }
  | { type: 'json'; body: { op: 'add' | 'remove' | 'replace' | 'test'; path: string; value?: unknown }[] };

export interface ApplyOptions {
  /** Write nothing, and get what would be. */
  dryRun?: boolean;
  /** Take over fields that other managers own; without it, 409 says which they are. Default: yes. */
  force?: boolean;
  /** Whose fields they become. Default: the client's. */
  fieldManager?: string;
}

/**
 * A Kubernetes client, acting as one identity. Each method but `get` throws `ApiError` for an answer that is no
 * success; 429 and 5xx are tried again first where that is safe.
 */
export interface Client {
  /** Whose fields an apply of this client owns. */
  readonly fieldManager: string;
  /** The object, or `undefined` where there is none. A resource that the API server does not serve is a 404 thrown. */
  get<T extends KubeObject>(type: ResourceType<T>, ref: Ref): Promise<Stored<T> | undefined>;
  /** All objects, page after page. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<List<Stored<T>>>;
  /**
   * First each object that is there (as ADDED), then each change. Goes on through dropped connections and
   * expired versions (410), where it lists anew and reports the difference. Ends when `signal` aborts.
   */
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<Stored<T>>>;
  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<Stored<T>>;
  /**
   * Server-side apply, with force unless said otherwise. `metadata.uid` and `resourceVersion` in it are preconditions.
   */
  apply<T extends KubeObject>(type: ResourceType<T>, object: T, options?: ApplyOptions): Promise<Stored<T>>;
  /**
   * Server-side apply of the status subresource; 404 where the object is gone. `metadata.resourceVersion` in it is a
   * precondition; so is `metadata.uid`, which the API server ignores here: without a version, it costs a read more.
   */
  applyStatus<T extends KubeObject>(
    type: ResourceType<T>,
    object: KubeObject & { status?: unknown },
  ): Promise<Stored<T>>;
  patch<T extends KubeObject>(type: ResourceType<T>, ref: Ref, patch: Patch): Promise<Stored<T>>;
  /** Nothing happens where the object is gone already. */
  delete(type: ResourceType, ref: Ref, precondition?: Precondition): Promise<void>;
  /** The same client acting as `person`, by impersonation. */
  as(person: Person): Client;
  /** Any other request: discovery, logs, reviews. `body` is sent as JSON; the answer is parsed as JSON. */
  request<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** A request whose answer is read as it comes: logs. */
  stream(path: string, signal?: AbortSignal): AsyncIterable<string>;
}
