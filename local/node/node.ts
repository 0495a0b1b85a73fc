/**
 * The node of the stand-in: every pod that the API server has becomes processes here, and ends here. Nothing is
 * isolated: the processes run as this user, and resource limits, security contexts and network policies do nothing.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { decode } from '../../lib/kube/lines.ts';
import { CLAIMS, type ResourceType } from '../../lib/kube/types.ts';
import type { Logs } from '../api/subresources.ts';
import { follow, messageOf, type Part } from '../controllers/loop.ts';
import type { NodeOptions } from './container.ts';
import { claimsFolder, podsFolder } from './host.ts';
import { endLeftovers, removeFolders } from './leftover.ts';
import { readLog } from './logs.ts';
import { PODS, type Pod } from './pod.ts';
import { PodWorker } from './pod-worker.ts';

export interface Node extends Part {
  /** A container's log, for the API server. Throws `ApiError` 404 or 400 as Kubernetes does. */
  logs: Logs;
  /** Ends every pod's processes, in `graceMs` at most (default 5,000); the objects stay, and go on next time. */
  stop(graceMs?: number): Promise<void>;
}

/** How long a pod has whose object was removed by force. */
const FORCED_GRACE = 2000;

/** Removes what earlier runs left of pods and claims that are no more. Folders are read first: what comes meanwhile stays. */
async function sweep(options: NodeOptions): Promise<void> {
  const [pods, claims] = [readdirSync(podsFolder(options)), readdirSync(claimsFolder(options))];
  const gone = async (uids: string[], type: ResourceType) => {
    const there = new Set((await options.client.list(type)).items.map(({ metadata }) => metadata.uid));
    return uids.filter((uid) => !there.has(uid));
  };
  for (const uid of await gone(pods, PODS)) {
    await endLeftovers(options, uid, FORCED_GRACE);
    removeFolders(options, uid);
  }
  for (const uid of await gone(claims, CLAIMS)) rmSync(join(claimsFolder(options), uid), { recursive: true });
}

/** Runs until stopped. */
export function startNode(options: NodeOptions): Node {
  const ending = new AbortController();
  const { signal } = ending;
  const workers = new Map<string, PodWorker>();
  const podChanged = (pod: Stored<Pod>, type: string) => {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
    if (type === 'DELETED') {
      workers.get(uid)?.terminate(FORCED_GRACE);
      workers.delete(uid);
      return;
    }
    const worker = workers.get(uid) ?? new PodWorker(options, pod);
    workers.set(uid, worker);
    if (deletionTimestamp) worker.terminate(deletionGracePeriodSeconds * 1000);
  };
  const claimChanged = ({ metadata }: Stored<KubeObject>, type: string) => {
    if (type === 'DELETED') rmSync(join(claimsFolder(options), metadata.uid), { recursive: true, force: true });
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
    stop: async (graceMs = 5000) => {
      ending.abort();
      await Promise.all([swept, ...following]);
      await Promise.all([...workers.values()].map((worker) => worker.stop(graceMs)));
    },
  };
}
