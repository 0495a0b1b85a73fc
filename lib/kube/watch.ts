/**
 * A watch that does not end by itself: it resumes where it was after a dropped connection, and where the API server no
 * longer knows that version (410), lists anew and reports what changed meanwhile, deletions included.
 */
import type { KubeObject, Stored } from '../api/meta.ts';
import type { Clock } from './clock.ts';
import { ApiError, type ApiStatus, ConnectionError, isGone } from './errors.ts';
import { lines } from './lines.ts';
import { backoff, isRetriable } from './retry.ts';
import type { List, WatchEvent } from './types.ts';

/** What a watch needs of a client. Both end when `signal` aborts. */
export interface WatchSource<T> {
  list(signal: AbortSignal): Promise<List<T>>;
  /** The events since `resourceVersion`, as the API server sends them. */
  open(resourceVersion: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  clock: Clock;
}

interface State<T> {
  /** What was reported, by uid. */
  known: Map<string, T>;
  /** How far it has come; absent while a list is due. */
  version: string | undefined;
  /** In a row. */
  failures: number;
  begun: boolean;
}

type Event<T> = { type: WatchEvent<T>['type'] | 'BOOKMARK'; object: T };
type Line<T> = Event<T> | { type: 'ERROR'; object: ApiStatus };

const BACKOFF_MS = 200;
const MAX_DOUBLINGS = 8;

/** What turns the objects `known` into those of `now`: deletions first, so that a name is free before it is taken. */
export function difference<T extends Stored<KubeObject>>(known: ReadonlyMap<string, T>, now: readonly T[]) {
  const uids = new Set(now.map(({ metadata }) => metadata.uid));
  const events: WatchEvent<T>[] = [];
  for (const [uid, object] of known) if (!uids.has(uid)) events.push({ type: 'DELETED', object });
  for (const object of now) {
    const before = known.get(object.metadata.uid);
    if (!before) events.push({ type: 'ADDED', object });
    else if (before.metadata.resourceVersion !== object.metadata.resourceVersion)
      events.push({ type: 'MODIFIED', object });
  }
  return events;
}

async function* relist<T extends Stored<KubeObject>>(source: WatchSource<T>, state: State<T>, signal: AbortSignal) {
  const { items, resourceVersion } = await source.list(signal);
  const events = difference(state.known, items);
  state.known = new Map(items.map((object) => [object.metadata.uid, object]));
  state.version = resourceVersion;
  state.begun = true;
  yield* events;
}

function parse<T>(line: string): Event<T> {
  let event: Line<T>;
  try {
    event = JSON.parse(line);
  } catch (cause) {
    throw new ConnectionError('a line of a watch is no JSON', { cause, again: 'if-idempotent' });
  }
  if (event.type === 'ERROR') throw new ApiError(event.object.code ?? 500, event.object);
  return event;
}

/** Notes how far the watch has come; a bookmark says just that. */
function advance<T extends Stored<KubeObject>>(state: State<T>, { type, object }: Event<T>) {
  state.failures = 0;
  state.version = object.metadata.resourceVersion;
  if (type === 'DELETED') state.known.delete(object.metadata.uid);
  else if (type !== 'BOOKMARK') state.known.set(object.metadata.uid, object);
}

async function* follow<T extends Stored<KubeObject>>(source: WatchSource<T>, state: State<T>, signal: AbortSignal) {
  const events = lines(await source.open(state.version ?? '', signal));
  // Holds until a line comes: a server that only ever hangs up is not asked in a tight loop.
  state.failures = Math.max(state.failures, 1);
  for await (const line of events) {
    const { type, object } = parse<T>(line);
    advance(state, { type, object });
    if (type !== 'BOOKMARK') yield { type, object };
  }
}

/** Notes a failure that may pass. @throws any other, and every failure of the first list. */
function note<T>(state: State<T>, error: unknown) {
  if (!state.begun || !(isGone(error) || isRetriable(error, true))) throw error;
  state.failures = Math.min(state.failures + 1, MAX_DOUBLINGS);
  if (error instanceof ApiError) state.version = undefined;
}

/** What comes next: a list where one is due, else what happens from there until the connection ends. */
async function* next<T extends Stored<KubeObject>>(source: WatchSource<T>, state: State<T>, signal: AbortSignal) {
  const { clock } = source;
  if (state.failures) await clock.sleep(backoff(state.failures, BACKOFF_MS, clock.random), signal);
  yield* state.version === undefined ? relist(source, state, signal) : follow(source, state, signal);
}

/** First what is there, then each change, until `signal` aborts. @throws ApiError, ConnectionError as `note` says. */
export async function* watch<T extends Stored<KubeObject>>(
  source: WatchSource<T>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void> {
  const state: State<T> = { known: new Map(), version: undefined, failures: 0, begun: false };
  while (!signal.aborted) {
    try {
      yield* next(source, state, signal);
    } catch (error) {
      if (!signal.aborted) note(state, error);
    }
  }
}
