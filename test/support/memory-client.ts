/**
 * An API server in memory, for tests of what its clients do: optimistic concurrency, identity of objects, finalizers,
 * server-side apply as far as the clients here use it, and failures at any request. It authorises nothing itself.
 */
import type { KubeObject, Person, Stored } from '../../lib/api/meta.ts';
import { impersonationHeaders } from '../../lib/identity/impersonation-headers.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Client, Patch, Precondition, Ref, ResourceType } from '../../lib/kube/types.ts';
import { mergeApplied } from './merge-applied.ts';

export type Verb = 'get' | 'list' | 'create' | 'apply' | 'applyStatus' | 'patch' | 'delete';

/** One request that arrived. */
export interface Asked {
  verb: Verb;
  kind: string;
  name: string;
  /** Whom the request was made as; absent: the client itself. */
  user?: string;
}

export interface Hooks {
  /** Before a request is carried out; what it throws is the answer. `write` counts writes from 1. */
  before?: (asked: Asked, write: number) => unknown;
  /** After it was carried out: the answer is lost when this throws. */
  after?: (asked: Asked, write: number) => unknown;
}

type Live = Stored<KubeObject> & { spec?: unknown; status?: unknown; [field: string]: unknown };
type Body = KubeObject & Record<string, unknown>;

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export const apiError = (code: number, reason: string, message: string): ApiError =>
  new ApiError(code, { code, reason, message, details: { name: 'x' } });

const conflict = (name: string) =>
  apiError(409, 'Conflict', `Operation cannot be fulfilled on "${name}": the object has been modified`);
const notFound = (type: ResourceType, name: string) => apiError(404, 'NotFound', `${type.plural} "${name}" not found`);

export class MemoryServer {
  readonly asked: Asked[] = [];
  readonly hooks: Hooks;
  readonly #objects = new Map<string, Live>();
  readonly #applied = new Map<string, unknown>();
  readonly #created = new Map<string, unknown>();
  #version = 100;
  #uids = 0;
  #writes = 0;

  constructor(hooks: Hooks = {}) {
    this.hooks = hooks;
  }

  /** A client of this server, acting as itself. */
  client(fieldManager: string): Client {
    return this.#clientOf(fieldManager);
  }

  /** Puts an object there as it is. */
  put<T extends KubeObject>(type: ResourceType<T>, object: T): Stored<T> {
    const metadata = { uid: this.#uid(), creationTimestamp: '2026-11-30T11:58:00Z', generation: 1, ...object.metadata };
    const stored = clone({ ...object, metadata: { ...metadata, resourceVersion: this.#next() } }) as unknown as Live;
    this.#objects.set(this.#key(type, stored.metadata), stored);
    return clone(stored) as unknown as Stored<T>;
  }

  /** What is there, without asking for it. */
  peek<T extends KubeObject>(type: ResourceType<T>, ref: Ref): Stored<T> | undefined {
    const live = this.#objects.get(this.#key(type, ref));
    return live && (clone(live) as unknown as Stored<T>);
  }

  /** Changes an object as somebody else would, and its version with it. */
  change<T extends KubeObject>(type: ResourceType<T>, ref: Ref, edit: (object: Stored<T>) => void): void {
    const object = this.peek(type, ref);
    if (!object) throw new Error(`no ${type.kind} ${ref.name} to change`);
    edit(object);
    this.#store(this.#key(type, ref), object as unknown as Live);
  }

  /** Removes an object at once, whatever its finalizers. */
  drop(type: ResourceType, ref: Ref): void {
    this.#forget(this.#key(type, ref));
  }

  /** Removes what is owned by something that is gone, as garbage collection does. */
  collect(): void {
    const uids = new Set([...this.#objects.values()].map(({ metadata }) => metadata.uid));
    for (const [key, { metadata }] of this.#objects) {
      const owners = metadata.ownerReferences ?? [];
      if (owners.length && owners.every(({ uid }) => !uids.has(uid))) this.#forget(key);
    }
  }

  /** `Kind name` of all that is there, in order. */
  all(): string[] {
    return [...this.#objects.values()].map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
  }

  /** `verb Kind` of each request so far. */
  verbs(): string[] {
    return this.asked.map(({ verb, kind }) => `${verb} ${kind}`);
  }

  #key = ({ group, plural }: ResourceType, { namespace = '', name }: Ref) => `${group}/${plural}/${namespace}/${name}`;
  #next = () => String(++this.#version);
  #uid = () => `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, '0')}`;

  #forget(key: string): void {
    this.#objects.delete(key);
    for (const kept of this.#applied.keys()) if (kept.startsWith(`${key}|`)) this.#applied.delete(kept);
  }

  /** Stores a changed object; one that is the same keeps its version. */
  #store(key: string, next: Live): Live {
    const before = this.#objects.get(key);
    if (before && same(before, next)) return clone(before);
    const generation = (before?.metadata.generation ?? 0) + (same(before?.spec, next.spec) ? 0 : 1);
    const stored = clone({ ...next, metadata: { ...next.metadata, generation, resourceVersion: this.#next() } });
    this.#objects.set(key, stored);
    return clone(stored);
  }

  async #carryOut<R>(asked: Asked, work: () => R): Promise<R> {
    // As over a network: others' requests come in between.
    await new Promise((resolve) => setImmediate(resolve));
    this.asked.push(asked);
    const write = asked.verb === 'get' || asked.verb === 'list' ? 0 : ++this.#writes;
    await this.hooks.before?.(asked, write);
    const answer = work();
    await this.hooks.after?.(asked, write);
    return answer;
  }

  #create(type: ResourceType, object: Body, manager: string): Live {
    const key = this.#key(type, object.metadata);
    const { name } = object.metadata;
    if (this.#objects.has(key)) throw apiError(409, 'AlreadyExists', `${type.plural} "${name}" already exists`);
    const { status: _status, ...rest } = clone(object);
    this.#created.set(`${key}|${manager}`, rest);
    const metadata = {
      ...rest.metadata,
      uid: this.#uid(),
      creationTimestamp: '2026-11-30T12:00:00Z',
      managedFields: [{ manager, operation: 'Update' as const }],
    };
    return this.#store(key, { ...rest, metadata: { ...metadata, resourceVersion: '' } });
  }

  #apply(type: ResourceType, object: Body, manager: string): Live {
    const key = this.#key(type, object.metadata);
    const live = this.#objects.get(key);
    const { uid } = object.metadata;
    if (uid && live?.metadata.uid !== uid) throw conflict(object.metadata.name);
    const base = live ?? this.#create(type, object, manager);
    const entries = base.metadata.managedFields ?? [];
    const applies = entries.some((entry) => entry.manager === manager && entry.operation === 'Apply');
    const field = `${key}|${manager}`;
    // What a create set belongs to the apply only where its entry was renamed.
    if (applies && !this.#applied.has(field)) this.#applied.set(field, this.#created.get(field));
    const merged = this.#merge(field, base, clone(object)) as Live;
    const managedFields = applies ? entries : [...entries, { manager, operation: 'Apply' as const }];
    return this.#store(key, { ...merged, metadata: { ...merged.metadata, managedFields } });
  }

  #applyStatus(type: ResourceType, object: KubeObject & { status?: unknown }, manager: string): Live {
    const key = this.#key(type, object.metadata);
    const live = this.#objects.get(key);
    const { name, uid, resourceVersion } = object.metadata;
    if (!live) throw notFound(type, name);
    if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) throw conflict(name);
    if (uid && uid !== live.metadata.uid) throw conflict(name);
    const status = this.#merge(`${key}|${manager}|status`, live.status ?? {}, clone(object.status ?? {}));
    return this.#store(key, { ...live, status });
  }

  #merge(field: string, live: unknown, next: unknown): unknown {
    const others = [...this.#applied].filter(([key]) => key !== field && key.split('|')[0] === field.split('|')[0]);
    const merged = mergeApplied({ live, next, before: this.#applied.get(field), others: others.map(([, o]) => o) });
    this.#applied.set(field, next);
    return merged;
  }

  /** A page of a list over all namespaces, in the order of keys. */
  #page(path: string): object {
    const url = new URL(path, 'https://memory');
    const { limit = '500', continue: after = '', labelSelector = '' } = Object.fromEntries(url.searchParams);
    const [, group = '', plural = ''] = /^\/apis?(?:\/([^/]+))?\/v[0-9a-z]+\/([a-z]+)$/.exec(url.pathname) ?? [];
    const [label = '', value] = labelSelector.split('=');
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(`${group}/${plural}/`)).sort();
    const found = keys.filter((key) => !label || this.#objects.get(key)?.metadata.labels?.[label] === value);
    const rest = found.filter((key) => key > after);
    const page = rest.slice(0, Number(limit));
    const items = page.map((key) => clone(this.#objects.get(key)));
    return { items, metadata: { ...(rest.length > page.length && { continue: page.at(-1) }) } };
  }

  #patch(type: ResourceType, ref: Ref, { type: form, body }: Patch): Live {
    const key = this.#key(type, ref);
    const live = this.#objects.get(key);
    if (!live) throw notFound(type, ref.name);
    if (form === 'merge') {
      const { uid = live.metadata.uid, resourceVersion = live.metadata.resourceVersion } = (body.metadata ??
        {}) as Partial<Live['metadata']>;
      if (uid !== live.metadata.uid || resourceVersion !== live.metadata.resourceVersion) throw conflict(ref.name);
      return this.#store(key, mergeApplied({ live, next: body, others: [] }) as Live);
    }
    const next = clone(live);
    for (const { op, path, value } of body) {
      const keys = path
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      const last = keys.pop() ?? '';
      const parent = keys.reduce((at: Record<string, unknown>, k) => at[k] as Record<string, unknown>, next);
      // As kube-apiserver: a test that fails makes the request invalid, another version is a conflict.
      if (op === 'test' && !same(parent[last], value)) {
        throw apiError(422, 'Invalid', 'the server rejected our request due to an error in our request');
      }
      if (op === 'remove') delete parent[last];
      else parent[last] = value;
    }
    if (next.metadata.resourceVersion !== live.metadata.resourceVersion) throw conflict(ref.name);
    return this.#store(key, next);
  }

  #delete(type: ResourceType, ref: Ref, { uid, resourceVersion }: Precondition): void {
    const key = this.#key(type, ref);
    const live = this.#objects.get(key);
    if (!live) return;
    const { metadata } = live;
    if ((uid && uid !== metadata.uid) || (resourceVersion && resourceVersion !== metadata.resourceVersion)) {
      throw conflict(ref.name);
    }
    if (!metadata.finalizers?.length) this.#forget(key);
    else this.#store(key, { ...live, metadata: { ...metadata, deletionTimestamp: '2026-11-30T12:00:00Z' } });
  }

  #clientOf(manager: string, person?: Person): Client {
    const run = <R>(verb: Verb, type: ResourceType, { name, work }: { name: string; work: () => unknown }) =>
      this.#carryOut({ verb, kind: type.kind, name, ...(person && { user: person.username }) }, work) as Promise<R>;
    const absent = (): never => {
      throw new Error('not in the server in memory');
    };
    return {
      fieldManager: manager,
      get: (type, ref) => run('get', type, { name: ref.name, work: () => this.peek(type, ref) }),
      list: (type, { namespace } = {}) => {
        const prefix = this.#key(type, { namespace: namespace ?? '', name: '' });
        const items = () => [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, live]) => clone(live));
        return run('list', type, { name: '', work: () => ({ items: items(), resourceVersion: `${this.#version}` }) });
      },
      create: (type, object) =>
        run('create', type, { name: object.metadata.name, work: () => this.#create(type, object as never, manager) }),
      apply: (type, object) =>
        run('apply', type, { name: object.metadata.name, work: () => this.#apply(type, object as never, manager) }),
      applyStatus: (type, object) =>
        run('applyStatus', type, { name: object.metadata.name, work: () => this.#applyStatus(type, object, manager) }),
      patch: (type, ref, patch) => run('patch', type, { name: ref.name, work: () => this.#patch(type, ref, patch) }),
      delete: (type, ref, precondition = {}) =>
        run('delete', type, { name: ref.name, work: () => this.#delete(type, ref, precondition) }),
      as: (other) => {
        // Refuses whom the real client refuses.
        impersonationHeaders(other);
        return this.#clientOf(manager, other);
      },
      watch: absent,
      request: (method, path) => {
        if (method !== 'GET') absent();
        return this.#carryOut({ verb: 'list', kind: path, name: '' }, () => this.#page(path)) as Promise<never>;
      },
      stream: absent,
    };
  }
}
