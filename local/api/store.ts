/**
 * What the stand-in knows: objects, one ever-increasing version over all of them, and the last changes for watches.
 * Everything is held in memory, and objects and version are written through to SQLite in the same step; a write is
 * acknowledged only when its transaction is committed. WAL with synchronous=NORMAL hands each commit to the operating
 * system, so that a SIGKILL loses nothing (a loss of power may lose the last commits). All is synchronous: between
 * reading and writing nobody else comes in. An object that was given out is never changed, only replaced.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Stored } from '../types.ts';

export interface Change {
  version: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Plural and group: `sessions.tiny.dev`, `pods`. */
  resource: string;
  object: Stored;
  previous?: Stored | undefined;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS objects (
    resource TEXT, key TEXT, body TEXT NOT NULL, PRIMARY KEY (resource, key)) WITHOUT ROWID;
`;

/** Where an object is within its resource; lists are in this order. */
export const keyOf = ({ metadata: { namespace, name } }: Stored): string => `${namespace ?? ''}/${name}`;

export class Store {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #changes: Change[] = [];
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #history: number;
  #version: number;

  /** @param history how many changes of this process are kept for watches and for lists that go on. */
  constructor(file: string, history = 2000) {
    this.#history = history;
    this.#db = new DatabaseSync(file);
    this.#db.exec(SCHEMA);
    for (const { resource, key, body } of this.#db.prepare('SELECT * FROM objects').iterate()) {
      this.#of(String(resource)).set(String(key), JSON.parse(String(body)));
    }
    this.#version = Number(this.#db.prepare('PRAGMA user_version').get()?.user_version);
  }

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  get(resource: string, namespace: string, name: string): Stored | undefined {
    return this.#objects.get(resource)?.get(`${namespace}/${name}`);
  }

  /** All objects of a resource, in one namespace or (`''`) in all, in the order of their keys. */
  list(resource: string, namespace = ''): Stored[] {
    return inOrder(this.#of(resource), namespace);
  }

  /** The same as it was at `version`; `undefined` where that is too long ago. */
  listAt(resource: string, namespace: string, version: number): Stored[] | undefined {
    const changes = this.since(version);
    if (!changes) return undefined;
    const objects = new Map(this.#of(resource));
    for (const { object, previous } of changes.filter((change) => change.resource === resource).reverse()) {
      if (previous) objects.set(keyOf(object), previous);
      else objects.delete(keyOf(object));
    }
    return inOrder(objects, namespace);
  }

  /** Every object there is. */
  all(): { resource: string; object: Stored }[] {
    return [...this.#objects].flatMap(([resource, all]) => [...all.values()].map((object) => ({ resource, object })));
  }

  /** The changes after `version`; `undefined` where some are no longer known. */
  since(version: number): Change[] | undefined {
    const known = this.#version - this.#changes.length;
    return version < known ? undefined : this.#changes.slice(version - known);
  }

  /** Writes an object, new or in place of the one there. Returns it with its new version. */
  put(resource: string, object: Stored): Stored {
    return this.#commit(this.#of(resource).has(keyOf(object)) ? 'MODIFIED' : 'ADDED', resource, object);
  }

  /** Removes an object; `last` is how it is told to watches. */
  remove(resource: string, last: Stored): Stored {
    return this.#commit('DELETED', resource, last);
  }

  /** Tells `listener` each change after it was committed, until the returned function is called. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#db.close();
  }

  #commit(type: Change['type'], resource: string, draft: Stored): Stored {
    const version = this.#version + 1;
    const object = { ...draft, metadata: { ...draft.metadata, resourceVersion: String(version) } };
    const [objects, key] = [this.#of(resource), keyOf(object)];
    const change = { version, type, resource, object, previous: objects.get(key) };
    this.#write(change);
    this.#version = version;
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, object);
    this.#changes.push(change);
    if (this.#changes.length > this.#history) this.#changes.shift();
    for (const listener of this.#listeners) listener(change);
    return object;
  }

  #write({ version, type, resource, object }: Change): void {
    const body = JSON.stringify(object);
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      if (type === 'DELETED') this.#run('DELETE FROM objects WHERE resource = ? AND key = ?', resource, keyOf(object));
      else this.#run('INSERT OR REPLACE INTO objects VALUES (?, ?, ?)', resource, keyOf(object), body);
      this.#db.exec(`PRAGMA user_version = ${version}; COMMIT`);
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    statement.run(...values);
  }

  #of(resource: string): Map<string, Stored> {
    const objects = this.#objects.get(resource) ?? new Map<string, Stored>();
    this.#objects.set(resource, objects);
    return objects;
  }
}

const inOrder = (objects: ReadonlyMap<string, Stored>, namespace: string): Stored[] =>
  [...objects]
    .filter(([key]) => namespace === '' || key.startsWith(`${namespace}/`))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);
