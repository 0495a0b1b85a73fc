/**
 * Runs a reader pod with the person's own rights and hands on what it prints, checked to the last line. The pod is
 * removed however that ends; where that fails, its deadline and its owner, the Session, see to it.
 */
import { createHash } from 'node:crypto';
import type { Stored } from '../../lib/api/meta.ts';
import { parseTrailer } from '../../lib/api/reading.ts';
import type { Session } from '../../lib/api/session.ts';
import { ApiError, isAlreadyExists, isForbidden } from '../../lib/kube/errors.ts';
import { objectPath, query } from '../../lib/kube/path.ts';
import { DEPLOYMENTS, NETWORK_POLICIES, PODS } from '../../lib/kube/types.ts';
import {
  makeReader,
  makeReaderPolicy,
  READER,
  type ReaderPod,
  type Reading,
  readerImage,
} from '../../lib/session/make-reader.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { withProgress } from '../output/progress.ts';
import type { Pod } from '../session/log.ts';
import { suffix } from '../session/name.ts';
import { linesOf } from '../transcript/items.ts';
import { untilBegun } from './begun.ts';

/** The lines that a reader of the Session's volume prints. Throws a Failure where they are not whole. */
export async function* readVolume(
  app: App,
  session: Stored<Session>,
  reading: Omit<Reading, 'suffix' | 'image'>,
): AsyncGenerator<string> {
  const saying = { what: `Reading the volume of ${session.metadata.name}`, session };
  const make = (image: string | undefined) => makeReader(session, { ...reading, image, suffix: suffix(app.random(5)) });
  yield* runPod(app, make, saying);
}

export interface Saying {
  /** For a progress line. */
  what: string;
  /** Whose volume it is. */
  session: Stored<Session>;
  /** Done once the pod has begun, while its log is read. */
  feed?: (pod: Stored<Pod>, signal: AbortSignal) => Promise<void>;
}

/** Runs a pod that prints lines and a trailer, and hands on the lines. */
export async function* runPod(
  app: App,
  make: (image: string | undefined) => ReaderPod,
  { what, session, feed }: Saying,
): AsyncGenerator<string> {
  const { client, namespace } = await app.cluster();
  const { name } = session.metadata;
  const made = await withProgress(app.io.stderr, what, async () => {
    await isolate(app, namespace);
    const image = readerImage(await client.get(DEPLOYMENTS, { namespace, name }));
    return begin(app, make(image), name);
  });
  try {
    yield* checked(logOf(app, made, feed), name);
  } finally {
    await remove(app, made);
  }
}

/** The pod's log while it is fed. That it can't be fed is told at once; that it broke off, by what the pod says of it. */
async function* logOf(app: App, pod: Stored<Pod>, feed: Saying['feed']): AsyncGenerator<string> {
  const { client, namespace } = await app.cluster();
  const stop = new AbortController();
  const signal = AbortSignal.any([app.signal, stop.signal]);
  let refused: unknown;
  void feed?.(pod, signal).catch((error: unknown) => {
    if (!(error instanceof ApiError)) return;
    refused = error;
    stop.abort();
  });
  const path = objectPath(PODS, { namespace, name: pod.metadata.name }, 'log');
  try {
    yield* linesOf(client.stream(path + query({ container: READER, follow: true }), signal));
  } catch (error) {
    throw refused ?? error;
  } finally {
    stop.abort();
  }
}

async function begin(app: App, pod: ReaderPod, session: string): Promise<Stored<Pod>> {
  const { client } = await app.cluster();
  const made = await client.create<Pod>(PODS, pod).catch(refused(session));
  try {
    await untilBegun(app, made, READER);
    return made;
  } catch (error) {
    await remove(app, made);
    throw error;
  }
}

/** Before the first reader of a project. A cluster that keeps it from being made keeps the reader from being made, too. */
async function isolate(app: App, namespace: string): Promise<void> {
  const { client } = await app.cluster();
  const policy = makeReaderPolicy(namespace);
  if (await client.get(NETWORK_POLICIES, policy.metadata)) return;
  await client.create(NETWORK_POLICIES, policy).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** Without the right to delete it stays until its Session goes; it has ended by then. */
async function remove(app: App, { metadata }: Stored<Pod>): Promise<void> {
  const { client, namespace } = await app.cluster();
  await client.delete(PODS, { namespace, name: metadata.name }, { uid: metadata.uid }).catch((error: unknown) => {
    app.note(
      isForbidden(error)
        ? `You may not delete pods here: ${metadata.name}, which has ended, stays until its Session is deleted.`
        : `The pod ${metadata.name} could not be deleted; it ends by itself.`,
    );
  });
}

const refused =
  (name: string) =>
  (error: unknown): never => {
    if (!isForbidden(error)) throw error;
    const quota = /exceeded quota/.test(error.message);
    throw new Failure(
      `Session "${name}" has no pod, and one that reads its volume could not be made for you: ${error.message}`,
      quota
        ? 'A finished or suspended Session frees a place; so does whoever runs the project.'
        : 'The missing right: verb "create" on "pods" (and "get" on "pods/log"); role tiny-user has it. Ask whoever runs the project,',
      quota ? '' : `or let the Session run: its log is read without. \`tiny show ${name}\` tells what came of it.`,
    );
  };

/** The lines, without the trailer, which must agree with them. */
async function* checked(lines: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let count = 0;
  let held: string | undefined;
  for await (const line of lines) {
    if (held !== undefined) {
      hash.update(`${held}\n`);
      count += 1;
      yield held;
    }
    held = line;
  }
  const wrong = disagreement(held ?? '', count, hash.digest('hex'));
  if (wrong)
    throw new Failure(`what was done with the volume of Session "${name}" is not whole: ${wrong}`, 'Try again.');
}

function disagreement(last: string, lines: number, sha256: string): string | undefined {
  const trailer = parseTrailer(last);
  if (!trailer) return `it ended early${last && `: ${last.slice(0, 500)}`}`;
  return trailer.lines === lines && trailer.sha256 === sha256 ? undefined : 'some of it is missing';
}
