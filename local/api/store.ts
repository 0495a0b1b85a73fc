/**
 * What the stand-in knows: objects, one ever-increasing version over all of them, and the last changes for watches.
 * Everything is held in memory and written through to SQLite in the same step; a write is acknowledged only when its
 * transaction is committed. WAL with synchronous=NORMAL hands each commit to the operating system, so that a
 * SIGKILL loses nothing (a loss of power may lose the last commits). All is synchronous: between reading and
 * writing nobody else comes in. An object that was given out is never changed, only replaced.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Stored } from '../types.ts';

export interface Change {
  version: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Plural and group: `sessions.tiny.dev`, `pods`. */
  resource: string;
  object: Stored;
  previous?: Stored;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS objects (
    resource TEXT, key TEXT, body TEXT NOT NULL, PRIMARY KEY (resource, key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS changes (
    version INTEGER PRIMARY KEY, type TEXT NOT NULL, resource TEXT NOT NULL, body TEXT NOT NULL, previous TEXT);
`;

const keyOf = ({ metadata: { namespace, name } }: Stored): string => `${namespace ?? ''}/${name}`;

type Listener = (change: Change) => void;

export class Store {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #changes: Change[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #history: number;
  #version = 0;

  /** @param history how many changes are kept for watches and for lists that go on. */
  constructor(file: string, history = 2000) {
    this.#history = history;
    this.#db = new DatabaseSync(file);
    this.#db.exec(SCHEMA);
    for (const { resource, key, body } of this.#db.prepare('SELECT * FROM objects').iterate()) {
      this.#of(String(resource)).set(String(key), JSON.parse(String(body)));
    }
    for (const row of this.#db.prepare('SELECT * FROM changes ORDER BY version').iterate()) {
      this.#changes.push(changeOf(row));
    }
    this.#version = this.#changes.at(-1)?.version ?? 0;
  }

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  get(resource: string, namespace: string, name: string): Stored | undefined {
    return this.#objects.get(resource)?.get(`${namespace}/${name}`);
  }

  /** All objects of a resource, in one namespace or (`''`) in all, in the order of namespace and name. */
  list(resource: string, namespace = ''): Stored[] {
    return inOrder([...(this.#objects.get(resource)?.entries() ?? [])], namespace);
  }

  /** The same as it was at `version`; `undefined` where that is too long ago. */
  listAt(resource: string, namespace: string, version: number): Stored[] | undefined {
    const changes = this.since(version);
    if (!changes) return undefined;
    const objects = new Map(this.#objects.get(resource));
    for (const { object, previous } of changes.filter((change) => change.resource === resource).reverse()) {
      if (previous) objects.set(keyOf(object), previous);
      else objects.delete(keyOf(object));
    }
    return inOrder([...objects], namespace);
  }

  /** Every object there is. */
  *all(): Generator<{ resource: string; object: Stored }> {
    for (const [resource, objects] of this.#objects) {
      for (const object of objects.values()) yield { resource, object };
    }
  }

  /** The changes after `version`; `undefined` where some are no longer known. */
  since(version: number): Change[] | undefined {
    const known = (this.#changes[0]?.version ?? this.#version + 1) - 1;
    return version < known ? undefined : this.#changes.slice(version - known);
  }

  /** Writes an object, new or in place of the one there. Returns it with its new version. */
  put(resource: string, object: Stored): Stored {
    const previous = this.#of(resource).get(keyOf(object));
    return this.#commit({ type: previous ? 'MODIFIED' : 'ADDED', resource, object, ...(previous && { previous }) });
  }

  /** Removes an object; `last` is how it is told to watches. */
  remove(resource: string, last: Stored): Stored {
    const previous = this.#of(resource).get(keyOf(last));
    return this.#commit({ type: 'DELETED', resource, object: last, ...(previous && { previous }) });
  }

  /** Tells `listener` each change after it was committed, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#db.close();
  }

  #commit(draft: Omit<Change, 'version'>): Stored {
    const version = this.#version + 1;
    const object = { ...draft.object, metadata: { ...draft.object.metadata, resourceVersion: String(version) } };
    const change = { ...draft, object, version };
    this.#write(change);
    this.#version = version;
    const objects = this.#of(change.resource);
    if (change.type === 'DELETED') objects.delete(keyOf(object));
    else objects.set(keyOf(object), object);
    this.#changes.push(change);
    if (this.#changes.length > this.#history) this.#changes.shift();
    for (const listener of this.#listeners) listener(change);
    return object;
  }

  #write({ version, type, resource, object, previous }: Change): void {
    const body = JSON.stringify(object);
    const last = previous ? JSON.stringify(previous) : null;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      if (type === 'DELETED') this.#run('DELETE FROM objects WHERE resource = ? AND key = ?', resource, keyOf(object));
      else this.#run('INSERT OR REPLACE INTO objects VALUES (?, ?, ?)', resource, keyOf(object), body);
      this.#run('INSERT INTO changes VALUES (?, ?, ?, ?, ?)', version, type, resource, body, last);
      this.#run('DELETE FROM changes WHERE version <= ?', version - this.#history);
      this.#db.exec('COMMIT');
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

function changeOf(row: Record<string, unknown>): Change {
  return {
    version: Number(row.version),
    type: row.type as Change['type'],
    resource: String(row.resource),
    object: JSON.parse(String(row.body)),
    ...(row.previous ? { previous: JSON.parse(String(row.previous)) } : {}),
  };
}

const inOrder = (entries: [string, Stored][], namespace: string): Stored[] =>
  entries
    .filter(([key]) => namespace === '' || key.startsWith(`${namespace}/`))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);
