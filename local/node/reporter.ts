/** Writes a pod's status, one write at a time and only the latest; a pod that is gone (404, 409) needs none. */

import { ApiError } from '../../lib/kube/errors.ts';
import { messageOf, sleep, type World } from '../controllers/loop.ts';
import { PODS, type Pod, type PodStatus } from './pod.ts';

export class Reporter {
  private wanted = false;
  private written: Promise<void> = Promise.resolve();
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
    this.written = this.written.then(() => this.write());
    return this.written;
  }

  private async write(): Promise<void> {
    while (this.wanted && !this.stopped.aborted) {
      this.wanted = false;
      this.last = this.read(this.last);
      if (await this.put(this.last)) continue;
      this.wanted = true;
      await sleep(500, this.stopped);
    }
  }

  /** Whether it was written, or never can be. */
  private async put(status: PodStatus): Promise<boolean> {
    const { apiVersion, kind, metadata } = this.pod;
    const { name, namespace = '', uid } = metadata;
    try {
      await this.world.client.applyStatus(PODS, { apiVersion, kind, metadata: { name, namespace, uid }, status });
      return true;
    } catch (error) {
      if (!isGone(error)) this.world.log(`status of pod ${namespace}/${name}: ${messageOf(error)}`);
      return isGone(error);
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
