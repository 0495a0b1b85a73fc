/** Waiting for a pod that the command has made to begin, and telling why it doesn't. */
import type { Stored } from '../../lib/api/meta.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import { PODS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { lastEvents } from '../session/events.ts';
import { hasBegun, type Pod } from '../session/log.ts';

/** How long a pod may take to begin: its image may have to be pulled. Milliseconds. */
const LIMIT_MS = 120_000;

/** Reasons of waiting that don't pass by themselves. */
const HOPELESS = /^(ErrImageNeverPull|InvalidImageName|ImagePullBackOff|CreateContainerConfigError)$/;

/** A node may have refused it, too. */
const isHopeless = (pod: Pod): boolean => pod.status?.phase === 'Failed' || HOPELESS.test(waitingOf(pod)?.reason ?? '');

const waitingOf = ({ status }: Pod) =>
  (status?.containerStatuses ?? []).map(({ state }) => state?.waiting).find((waiting) => waiting?.reason);

/** Why it has not begun, in the cluster's words. */
async function whyNot(app: App, pod: Stored<Pod>): Promise<string> {
  const { client, namespace } = await app.cluster();
  const [last] = (await lastEvents(client, { namespace, uid: pod.metadata.uid })).reverse();
  const unscheduled = pod.status?.conditions?.find(({ status, message }) => status === 'False' && message);
  const { reason, message } = waitingOf(pod) ?? {};
  const waits = [reason, message].filter(Boolean).join(': ');
  return last?.message ?? unscheduled?.message ?? (waits || pod.status?.message || '');
}

/** Returns once the container has begun. A Failure where it can't, or takes too long. */
export async function untilBegun(app: App, made: Stored<Pod>, container: string): Promise<void> {
  const late = AbortSignal.timeout(LIMIT_MS);
  const stop = new AbortController();
  let last = made;
  try {
    for await (const pod of changesOf(app, made, AbortSignal.any([app.signal, late, stop.signal]))) {
      if (hasBegun(pod, container)) return;
      last = pod;
      if (isHopeless(pod)) break;
    }
  } finally {
    stop.abort();
  }
  app.signal.throwIfAborted();
  const why = await whyNot(app, last);
  throw new Failure(
    `the pod ${made.metadata.name} does not begin${why && `: ${why}`}`,
    'It mounts the volume of the Session: another pod may hold that, on another node, or its place may be taken.',
  );
}

async function* changesOf(app: App, { metadata }: Stored<Pod>, signal: AbortSignal): AsyncGenerator<Stored<Pod>> {
  const { client, namespace } = await app.cluster();
  const options = { namespace, fieldSelector: `metadata.name=${metadata.name}`, signal };
  for await (const { type, object } of client.watch(PODS as ResourceType<Pod>, options)) {
    if (type === 'DELETED') throw new Failure(`the pod ${metadata.name} was deleted before it began`, 'Try again.');
    if (object.metadata.uid === metadata.uid) yield object;
  }
}
