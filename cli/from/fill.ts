/** Fills the volume of a Session that was just made, by a pod of the person's own. */
import type { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { isTrue } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { objectPath, query } from '../../lib/kube/path.ts';
import { PODS, SESSIONS } from '../../lib/kube/types.ts';
import { makeLoader, READER } from '../../lib/session/make-reader.ts';
import { CONDITION } from '../../lib/session/status.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { withProgress } from '../output/progress.ts';
import { runPod, type Saying } from '../reader/run.ts';
import { suffix } from '../session/name.ts';
import { refuseToWait } from '../session/wait.ts';
import type { Origin } from './origin.ts';

/** How long a Session's objects may take to be made. Milliseconds. */
const LIMIT_MS = 120_000;

/** Returns once the Session's volume has been asked for. */
async function untilMade(app: App, { metadata }: Stored<Session>): Promise<void> {
  const { client, namespace } = await app.cluster();
  const stop = new AbortController();
  const signal = AbortSignal.any([app.signal, stop.signal, AbortSignal.timeout(LIMIT_MS)]);
  const options = { namespace, fieldSelector: `metadata.name=${metadata.name}`, signal };
  try {
    for await (const { type, object } of client.watch(SESSIONS, options)) {
      if (type === 'DELETED' || object.metadata.uid !== metadata.uid) break;
      if (isTrue(object, CONDITION.materialised)) return;
      refuseToWait(object);
    }
  } finally {
    stop.abort();
  }
  app.signal.throwIfAborted();
  throw new Failure(`Session "${metadata.name}" was not made in time`, '`tiny doctor` finds out why.');
}

/** The file's bytes; it is opened once they are asked for. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(path)) yield piece as Buffer;
}

/** Sends the file to a pod's standard input. */
const feeder =
  (app: App, path: string): Saying['feed'] =>
  async ({ metadata: { name } }, signal) => {
    const { send, namespace } = await app.cluster();
    const to = objectPath(PODS, { namespace, name }, 'attach');
    const parameters = query({ container: READER, stdin: true, stdout: false, stderr: false });
    await send(to + parameters, bytesOf(path), signal);
  };

/** Puts all of `origin` onto the volume of `session`, which has not begun. Throws where not all of it arrived. */
export async function fill(app: App, session: Stored<Session>, origin: Origin): Promise<void> {
  const { name } = session.metadata;
  await withProgress(app.io.stderr, `Waiting for the volume of ${name}`, () => untilMade(app, session));
  const from = origin.kind === 'session' ? origin.session : undefined;
  const make = (image: string | undefined) => makeLoader(session, { image, from, suffix: suffix(app.random(5)) });
  const saying = {
    what: `Filling the volume of ${name}`,
    session,
    ...(origin.kind === 'archive' && { feed: feeder(app, origin.path) }),
  };
  await withProgress(app.io.stderr, `Filling the volume of ${name}`, async () => {
    for await (const _ of runPod(app, make, saying));
  });
}
