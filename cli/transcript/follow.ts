/**
 * Following a Session's transcript for as long as it has something to say: through restarts of its pod, and through its
 * sleep, telling what happens. What was seen is not told again, what was said meanwhile is told late.
 */
import { LABEL, type Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { ApiError, ConnectionError, isBadRequest, isNotFound } from '../../lib/kube/errors.ts';
import { PODS, type ResourceType, SESSIONS } from '../../lib/kube/types.ts';
import { hasUnreadMessages } from '../../lib/session/status.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { type Pod, selectorOf } from '../session/log.ts';
import { ending } from '../session/state.ts';
import { statusLine } from '../session/wait.ts';
import type { Item, Seen } from './items.ts';
import { AGENT, fromPod, fromVolume, isReadable, podOf, sleeps } from './source.ts';

/** One life of the container. */
const lifeOf = ({ metadata, status }: Stored<Pod>): string => {
  const container = status?.containerStatuses?.find(({ name }) => name === AGENT);
  return `${metadata.uid}/${container?.restartCount ?? 0}`;
};

const runs = ({ status }: Stored<Pod>): boolean =>
  status?.containerStatuses?.find(({ name }) => name === AGENT)?.state?.running !== undefined;

/** Whether nothing more comes unless somebody sends a message. */
const isOver = (session: Stored<Session>): boolean => ending(session) !== undefined && !hasUnreadMessages(session);

export interface Following {
  seen: Seen;
  /** Whether it ends when the Session has finished. */
  untilFinished: boolean;
}

interface State extends Following {
  teller: ReturnType<typeof makeTeller>;
  /** The last life of the container that was read to its end. */
  read?: string;
  over?: boolean;
}

/** The items as they come, until the Session is over or gone, or Ctrl-C. */
export async function* follow(app: App, session: Stored<Session>, options: Following): AsyncGenerator<Item> {
  const state: State = { ...options, teller: makeTeller(app) };
  for (let now: Stored<Session> | undefined = session; now; now = await current(app, session)) {
    yield* step(app, now, state);
    if (state.over || app.signal.aborted) return;
  }
  app.note(`Session ${session.metadata.name} was deleted.`);
}

/** Reads the life of the container that is there, or waits for the next one. */
async function* step(app: App, session: Stored<Session>, state: State): AsyncGenerator<Item> {
  const pod = await podOf(app, session.metadata.name);
  if (!isReadable(pod) || lifeOf(pod) === state.read) return yield* rest(app, session, state);
  state.teller.readsAgain();
  yield* tolerant(app, fromPod(app, pod, { seen: state.seen, follow: true }));
  if (await hasEnded(app, pod)) state.read = lifeOf(pod);
}

async function* rest(app: App, session: Stored<Session>, state: State): AsyncGenerator<Item> {
  if (misses(session, state.seen)) yield* tolerant(app, fromVolume(app, session, state.seen));
  state.over = isOver(session) && state.untilFinished;
  if (state.over) return;
  state.teller.say(session);
  await changed(app, session, state.read);
}

/** Whether something was said that is on the volume alone: before the first look, or in a log that was cut off. */
const misses = (session: Stored<Session>, seen: Seen): boolean =>
  sleeps(session) && !seen.volume && (seen.lastSeq === 0 || (isOver(session) && !seen.finished));

/** Whether this life of the container is over: a log that ended though the container runs was cut off. */
async function hasEnded(app: App, before: Stored<Pod>): Promise<boolean> {
  const after = await podOf(app, before.metadata.labels?.[LABEL.session] ?? '');
  return !after || lifeOf(after) !== lifeOf(before) || !runs(after);
}

/** The same Session as it is now; `undefined` where it is gone. */
async function current(app: App, { metadata }: Stored<Session>): Promise<Stored<Session> | undefined> {
  const { client, namespace } = await app.cluster();
  const found = await client.get(SESSIONS, { namespace, name: metadata.name });
  return found?.metadata.uid === metadata.uid ? found : undefined;
}

/** What can't be read now may be readable soon: the pod went, the connection broke, or the volume is not for this person. */
async function* tolerant(app: App, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    if (app.signal.aborted) return;
    if (error instanceof Failure) return app.note([error.message, ...error.hints].join('\n  '));
    const passes = error instanceof ConnectionError || isNotFound(error) || isBadRequest(error) || isBusy(error);
    if (!passes) throw error;
    await pause(app.signal);
  }
}

const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code >= 500;

const PAUSE_MS = 500;
const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, PAUSE_MS);
    signal.addEventListener('abort', done, { once: true });
  });

function makeTeller(app: App) {
  let said = '';
  let hasRead = false;
  return {
    readsAgain() {
      if (hasRead && said) app.note('- its pod runs again');
      hasRead = true;
      said = '';
    },
    say(session: Stored<Session>) {
      const line = `- ${session.metadata.name}: ${statusLine(session)}; waiting (Ctrl-C ends)`;
      if (line !== said) app.note(line);
      said = line;
    },
  };
}

/** Resolves when there is another life of the container to read, or the Session has changed. */
async function changed(app: App, session: Stored<Session>, read: string | undefined): Promise<void> {
  const { client, namespace } = await app.cluster();
  const { name, resourceVersion } = session.metadata;
  const stop = new AbortController();
  const signal = AbortSignal.any([app.signal, stop.signal]);
  const pods = async () => {
    const options = { namespace, labelSelector: selectorOf(name), signal };
    for await (const { type, object } of client.watch(PODS as ResourceType<Pod>, options)) {
      if (type !== 'DELETED' && isReadable(object) && lifeOf(object) !== read) return;
    }
  };
  const sessions = async () => {
    const options = { namespace, fieldSelector: `metadata.name=${name}`, signal };
    for await (const { type, object } of client.watch(SESSIONS, options)) {
      if (type === 'DELETED' || object.metadata.resourceVersion !== resourceVersion) return;
    }
  };
  const both = [pods(), sessions()];
  try {
    await Promise.race(both);
  } finally {
    stop.abort();
    await Promise.allSettled(both);
  }
}
