/**
 * The node of the stand-in: every pod that the API server has becomes processes here, and ends here. Nothing is
 * isolated: the processes run as this user, and resource limits, security contexts and network policies do nothing.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { decode } from '../../lib/kube/lines.ts';
import { objectPath } from '../../lib/kube/path.ts';
import { CLAIMS, type ResourceType } from '../../lib/kube/types.ts';
import type { Attach } from '../api/attach.ts';
import type { Logs } from '../api/subresources.ts';
import { follow, messageOf, type Part, type World } from '../controllers/loop.ts';
import { isGone, setStatus } from '../controllers/status.ts';
import type { NodeOptions } from './container.ts';
import { claimsFolder, podFolder, podsFolder } from './host.ts';
import { readLog } from './logs.ts';
import { PODS, type Pod } from './pod.ts';
import { type PodObject, PodWorker } from './pod-worker.ts';

export interface Node extends Part {
  /** A container's log, for the API server. Throws `ApiError` 404 or 400 as Kubernetes does. */
  logs: Logs;
  /** A container's standard input, for the API server. Throws `ApiError` as Kubernetes does. */
  attach: Attach;
  /** Ends every pod's processes, in `graceMs` at most (default 5,000); the objects stay, and go on next time. */
  stop(graceMs?: number): Promise<void>;
}

/** How long a pod has whose object was removed by force, milliseconds. */
const FORCED_GRACE = 2000;

const discard = (...path: string[]) => rmSync(join(...path), { recursive: true, force: true });

/** Removes the folders of pods and claims that are no more. They are read first: what comes meanwhile stays. */
async function sweep(options: NodeOptions): Promise<void> {
  const kinds: [string, ResourceType][] = [
    [podsFolder(options), PODS],
    [claimsFolder(options), CLAIMS],
  ];
  for (const [path, type] of kinds) {
    const uids = readdirSync(path);
    const there = new Set((await options.client.list(type)).items.map(({ metadata }) => metadata.uid));
    for (const uid of uids) if (!there.has(uid)) discard(path, uid);
  }
}

/** Removes the pod's object at once, and no other that has its name by now. */
async function removePod({ client, log }: World, { metadata }: Stored<Pod>): Promise<void> {
  const { name, uid } = metadata;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } };
  try {
    await client.request('DELETE', objectPath(PODS, metadata), body);
  } catch (error) {
    if (!isGone(error)) log(`removing pod ${name}: ${messageOf(error)}`);
  }
}

const objectOf = (options: NodeOptions, pod: Stored<Pod>): PodObject => ({
  report: (status) => setStatus(options, PODS, { object: pod, status }),
  remove: () => {
    discard(podFolder(options, pod.metadata.uid));
    return removePod(options, pod);
  },
});

/** Runs until stopped. What an earlier run left must have ended (`endAllLeftovers`): never two copies of a pod. */
export function startNode(options: NodeOptions): Node {
  const ending = new AbortController();
  const { signal } = ending;
  const workers = new Map<string, PodWorker>();
  const podChanged = (pod: Stored<Pod>, type: string) => {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
    const worker = workers.get(uid) ?? new PodWorker(options, pod, objectOf(options, pod));
    workers.set(uid, worker);
    if (type === 'DELETED') {
      worker.terminate(FORCED_GRACE);
      workers.delete(uid);
    } else if (deletionTimestamp) worker.terminate(deletionGracePeriodSeconds * 1000);
  };
  const claimChanged = ({ metadata }: Stored<KubeObject>, type: string) => {
    if (type === 'DELETED') discard(claimsFolder(options), metadata.uid);
  };
  const swept = sweep(options).catch((error) => options.log(`sweeping what was left: ${messageOf(error)}`));
  const following = [
    follow(options, PODS, { signal, changed: podChanged }),
    follow(options, CLAIMS, { signal, changed: claimChanged }),
  ];
  return {
    logs: async function* ({ namespace, pod: name, container }, wanted, gone) {
      const pod = await options.client.get(PODS, { namespace, name });
      if (!pod) throw new ApiError(404, { reason: 'NotFound', message: `pods "${name}" not found` });
      yield* decode(readLog(options, pod, { ...wanted, container, signal: AbortSignal.any([gone, signal]) }));
    },
    attach: async ({ namespace, pod: name, container }) => {
      const pod = await options.client.get(PODS, { namespace, name });
      const stdin = pod && workers.get(pod.metadata.uid)?.stdin(container);
      if (stdin) return stdin;
      const message = `container ${container} of pod ${name} has no standard input here, or doesn't run`;
      throw new ApiError(400, { reason: 'BadRequest', message });
    },
    stop: async (graceMs = 5000) => {
      ending.abort();
      await Promise.all([swept, ...following]);
      await Promise.all([...workers.values()].map((worker) => worker.stop(graceMs)));
    },
  };
}
