/** Writes a pod's status, one write at a time and only the latest; a pod that is gone (404, 409) needs none. */

import { ApiError } from '../../lib/kube/errors.ts';
import { messageOf, sleep, type World } from '../controllers/loop.ts';
import { PODS, type Pod, type PodStatus } from './pod.ts';

export class Reporter {
  private wanted = false;
  private writing: Promise<void> | undefined;
  private last: PodStatus | undefined;
  private readonly world: World;
  private readonly pod: Pod;
  private readonly read: (before: PodStatus | undefined) => PodStatus;
  private readonly stopped: AbortSignal;

  constructor(world: World, pod: Pod, { read, stopped }: { read: Reporter['read']; stopped: AbortSignal }) {
    this.world = world;
    this.pod = pod;
    this.read = read;
    this.stopped = stopped;
    this.last = pod.status;
  }

  /** Resolves when what is true now has been written, or the pod is gone. */
  changed(): Promise<void> {
    this.wanted = true;
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  private async write(): Promise<void> {
    const { apiVersion, kind, metadata } = this.pod;
    const { name, namespace = '', uid } = metadata;
    while (this.wanted && !this.stopped.aborted) {
      this.wanted = false;
      this.last = this.read(this.last);
      try {
        await this.world.client.applyStatus(PODS, {
          apiVersion,
          kind,
          metadata: { name, namespace, uid },
          status: this.last,
        });
      } catch (error) {
        if (isGone(error)) return;
        this.world.log(`status of pod ${namespace}/${name}: ${messageOf(error)}`);
        this.wanted = true;
        await sleep(500, this.stopped);
      }
    }
  }
}

const isGone = (error: unknown) => error instanceof ApiError && [404, 409].includes(error.code);

/** Removes the pod's object at once, and no other that has its name by now. */
export async function removePod({ client, log }: World, { metadata }: Pod): Promise<void> {
  const { name, namespace, uid } = metadata;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid } };
  try {
    await client.request('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, body);
  } catch (error) {
    if (!isGone(error)) log(`removing pod ${namespace}/${name}: ${messageOf(error)}`);
  }
}
