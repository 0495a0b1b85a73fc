/**
 * Where a Session's transcript is read: from its pod's log while there is a pod, else from its volume, by a pod that is
 * made for that. Both number their entries alike, so that what was seen in one is not told again from the other.
 */

import { isTrue } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { objectPath, query } from '../../lib/kube/path.ts';
import { CLAIMS, PODS, type ResourceType } from '../../lib/kube/types.ts';
import { CONDITION } from '../../lib/session/status.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { readVolume } from '../reader/run.ts';
import { hasBegun, newest, type Pod, selectorOf } from '../session/log.ts';
import { sessionState } from '../session/state.ts';
import { type Item, linesOf, news, type Seen } from './items.ts';

/** The container whose log is the transcript. */
export const AGENT = 'agent';

/** The Session's newest pod. */
export async function podOf(app: App, name: string): Promise<Stored<Pod> | undefined> {
  const { client, namespace } = await app.cluster();
  const { items } = await client.list(PODS as ResourceType<Pod>, { namespace, labelSelector: selectorOf(name) });
  return newest(items);
}

/** Whether its log can be read. */
export const isReadable = (pod: Stored<Pod> | undefined): pod is Stored<Pod> =>
  pod !== undefined && hasBegun(pod, AGENT);

/** What is new in the pod's log; with `follow` as it comes, until the container ends. */
export async function* fromPod(
  app: App,
  { metadata }: Stored<Pod>,
  { seen, follow }: { seen: Seen; follow: boolean },
): AsyncGenerator<Item> {
  const { client, namespace } = await app.cluster();
  const path = objectPath(PODS, { namespace, name: metadata.name }, 'log');
  const parameters = query({ container: AGENT, ...(follow && { follow }) });
  yield* news(linesOf(client.stream(path + parameters, app.signal)), seen);
}

/** Why the volume can't be read while a pod uses it; `undefined` where it can. */
function refusal(session: Stored<Session>, pod: Stored<Pod> | undefined): Failure | undefined {
  const { name } = session.metadata;
  if (!pod || session.spec.storage.accessMode !== 'ReadWriteOncePod') return undefined;
  return new Failure(
    `the volume of Session "${name}" is ReadWriteOncePod, and its pod has it`,
    `\`tiny suspend ${name}\` lets go of it; without, \`tiny logs ${name}\` reads the log of the pod.`,
  );
}

/** The lines that a reader of the Session's volume prints. A Failure where there is no volume. */
export async function* linesOfVolume(
  app: App,
  session: Stored<Session>,
  what: 'transcript' | 'archive',
): AsyncGenerator<string> {
  const { client, namespace } = await app.cluster();
  const { name } = session.metadata;
  const pod = await podOf(app, name);
  const refused = refusal(session, pod);
  if (refused) throw refused;
  if (!(await client.get(CLAIMS, { namespace, name }))) {
    throw new Failure(
      `Session "${name}" has neither a pod nor a volume yet (${sessionState(session)})`,
      `\`tiny show ${name}\` tells why.`,
    );
  }
  yield* readVolume(app, session, { what, node: pod?.spec?.nodeName });
}

/** What is new in the transcript on the volume. */
export async function* fromVolume(app: App, session: Stored<Session>, seen: Seen): AsyncGenerator<Item> {
  const { name } = session.metadata;
  seen.volume = true;
  app.note(
    `Session ${name} has no pod (${sessionState(session)}): one is made to read its volume; that takes a moment.`,
  );
  yield* news(linesOfVolume(app, session, 'transcript'), seen);
}

/** Whether it is at zero, so that its volume is free. */
export const sleeps = (session: Stored<Session>): boolean =>
  isTrue(session, CONDITION.suspended) || isTrue(session, CONDITION.finished);

/** The transcript as it is now. A Failure where the pod has not begun yet. */
export async function* transcriptNow(app: App, session: Stored<Session>, seen: Seen): AsyncGenerator<Item> {
  const { name } = session.metadata;
  const pod = await podOf(app, name);
  if (isReadable(pod)) yield* fromPod(app, pod, { seen, follow: false });
  else if (sleeps(session)) yield* fromVolume(app, session, seen);
  else {
    throw new Failure(
      `Session "${name}" ${pod ? 'has a pod that has not begun' : 'has no pod yet'} (${sessionState(session)})`,
      `\`tiny logs ${name} -f\` waits for it; \`tiny show ${name}\` tells more.`,
    );
  }
}
