/** The log of a container of a Session's newest pod as it is, and what to say where it has none. */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { LABEL } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { isBadRequest } from '../../lib/kube/errors.ts';
import { objectPath, query } from '../../lib/kube/path.ts';
import { PODS, type ResourceType, SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { startProgress } from '../output/progress.ts';
import { find } from './find.ts';
import { ending, sessionState } from './state.ts';

export interface LogOptions {
  follow?: boolean;
  container: string;
  previous?: boolean;
  tail?: number;
}

interface ContainerStatus {
  name: string;
  restartCount?: number;
  state?: { waiting?: { reason?: string; message?: string }; running?: object; terminated?: object };
}

export interface Pod extends KubeObject {
  spec?: { nodeName?: string };
  status?: {
    phase?: string;
    message?: string;
    conditions?: { type: string; status: string; message?: string }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

const SESSION_PODS = PODS as ResourceType<Pod>;

/** Selects the pods of a Session. */
export const selectorOf = (name: string): string => `${LABEL.session}=${name}`;
const made = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';

/** The pod made last. */
export const newest = (pods: readonly Stored<Pod>[]): Stored<Pod> | undefined =>
  [...pods].sort((a, b) => (made(a) < made(b) ? 1 : -1))[0];

/** Whether the container has begun, so that it has a log. */
export function hasBegun({ status }: Pod, container: string): boolean {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const state = all.find(({ name }) => name === container)?.state;
  return state?.running !== undefined || state?.terminated !== undefined;
}

/** The text of the log, as it comes. */
export async function* readLog(app: App, given: string, options: LogOptions): AsyncIterable<string> {
  const { client, namespace } = await app.cluster();
  const session = await find(client, { type: SESSIONS, namespace, name: given });
  const { name } = session.metadata;
  const pod = await podFor(app, session, options);
  if (!pod) return;
  const { follow, container, previous, tail } = options;
  const path = objectPath(PODS, { namespace, name: pod.metadata.name }, 'log');
  try {
    yield* client.stream(path + query({ container, follow, previous, tailLines: tail }), app.signal);
  } catch (error) {
    if (!isBadRequest(error)) throw error;
    throw new Failure(`Session "${name}": ${error.message}`, previous ? '' : `\`tiny logs ${name} -f\` waits for it.`);
  }
}

/** The pod to read from; one to follow is waited for. `undefined` after Ctrl-C. */
async function podFor(app: App, session: Stored<Session>, options: LogOptions): Promise<Stored<Pod> | undefined> {
  const { client, namespace } = await app.cluster();
  const { name } = session.metadata;
  const pod = newest((await client.list(SESSION_PODS, { namespace, labelSelector: selectorOf(name) })).items);
  if (options.follow) return pod && hasBegun(pod, options.container) ? pod : begun(app, name, options);
  if (pod) return pod;
  const next = ending(session) ? '' : ` \`tiny logs ${name} -f\` waits for the next pod.`;
  throw new Failure(
    `Session "${name}" has no pod (${sessionState(session)}), and its log went with that`,
    `\`tiny show ${name}\` tells what came of it.${next}`,
  );
}

/** The first pod of the Session whose container has begun; waits for it. */
async function begun(app: App, name: string, { container }: LogOptions): Promise<Stored<Pod> | undefined> {
  const { client, namespace } = await app.cluster();
  const stop = new AbortController();
  const signal = AbortSignal.any([app.signal, stop.signal]);
  const progress = startProgress(app.io.stderr, `Waiting for the ${container} of ${name} to start`);
  try {
    for await (const { type, object } of client.watch(SESSION_PODS, {
      namespace,
      labelSelector: selectorOf(name),
      signal,
    })) {
      if (type !== 'DELETED' && hasBegun(object, container)) return object;
    }
    return undefined;
  } finally {
    progress.end();
    stop.abort();
  }
}
