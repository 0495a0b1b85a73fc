/**
 * What keeps a Session's pod from running, as its pods say it to whoever may read them: an image that can't be pulled, no
 * node that takes it. The sweep tells it on the Session, within minutes; this is for who looks before that.
 */
import type { V1Pod } from '@kubernetes/client-node';
import { type KubeObject, LABEL, type Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import { type Client, PODS } from '../../lib/kube/types.ts';
import { podProblem } from '../../lib/sweep/pod-problem.ts';
import { safeLine } from '../output/safe.ts';
import { lastEvents } from './events.ts';

type V1PodObject = KubeObject & Pick<V1Pod, 'status'>;

const podsOf = ({ metadata: { namespace, uid } }: Stored<Session>) => ({
  ...(namespace && { namespace }),
  labelSelector: `${LABEL.sessionUid}=${uid}`,
});

/** One line; `undefined` where nothing is wrong with the pod. */
function problemOf(pod: unknown, now: Date): string | undefined {
  const problem = podProblem(pod as V1Pod, now);
  return problem && safeLine([problem.what, problem.detail].filter(Boolean).join(': '));
}

/** The last Event of a pod that does not come up, if it is a warning: of a volume that can't be mounted nothing else tells. */
async function warningOf(client: Client, { metadata, status }: Stored<V1PodObject>): Promise<string | undefined> {
  const { namespace = '', uid } = metadata;
  if (status?.phase !== 'Pending') return undefined;
  const [last] = await lastEvents(client, { namespace, uid }, 1);
  return last?.type === 'Warning' ? safeLine(`${last.reason}: ${last.message}`) : undefined;
}

async function troubleOf(client: Client, pod: Stored<V1PodObject>, now: Date): Promise<string | undefined> {
  const problem = podProblem(pod as V1Pod, now);
  const isTold = problem !== undefined && problem.reason !== 'SlowStart';
  return (isTold ? undefined : await warningOf(client, pod)) ?? problemOf(pod, now);
}

/** What is wrong with a pod of the Session; `undefined` also where the person may not list pods. */
export async function podTrouble(client: Client, session: Stored<Session>, now: Date): Promise<string | undefined> {
  try {
    const { items } = await client.list(PODS, podsOf(session));
    const troubles = await Promise.all(items.map((pod) => troubleOf(client, pod as Stored<V1PodObject>, now)));
    return troubles.find((trouble) => trouble !== undefined);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

interface Following {
  session: Stored<Session>;
  now: () => Date;
  /** Gets each problem once. */
  say: (problem: string) => void;
  signal: AbortSignal;
}

/** Follows the Session's pods until `signal` aborts, or says nothing where the person may not watch them. */
export async function followTrouble(client: Client, { session, now, say, signal }: Following): Promise<void> {
  let last: string | undefined;
  try {
    for await (const { type, object } of client.watch(PODS, { ...podsOf(session), signal })) {
      const problem = type === 'DELETED' ? undefined : problemOf(object, now());
      if (problem && problem !== last) say(problem);
      last = problem ?? last;
    }
  } catch {
    // The Session's own state is what counts; this only explains it.
  }
}
