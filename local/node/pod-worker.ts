/**
 * One pod's life on this node: claims, volumes, init containers and sidecars, main containers; then the same backwards. After a restart
 * of the stand-in the pod begins anew, as after a node's reboot. A function's process is run by the same code, as a
 * pod without an object.
 */
import { rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { V1Container } from '@kubernetes/client-node';
import { messageOf, sleep } from '../controllers/loop.ts';
import { Container, type NodeOptions, type Shared } from './container.ts';
import { tempFolderOf } from './host.ts';
import { isOver, type Pod, type PodStatus, statusesOf } from './pod.ts';
import { podStatus } from './pod-status.ts';
import { makeTokens } from './tokens.ts';
import { unschedulable, Volumes } from './volumes.ts';

/** A sidecar has at least this long after the main containers, as with the kubelet; milliseconds. */
const SIDECAR_GRACE = 2000;
/** How often Secrets and tokens are looked at, milliseconds. */
const UPKEEP = 30_000;

/** The pod's object in the API server. */
export interface PodObject {
  report(status: PodStatus): Promise<void>;
  /** Nothing of the pod runs any more. */
  remove(): Promise<void>;
}

const problemOf = ({ restartPolicy = 'Always' }: Pod['spec']): string | undefined =>
  restartPolicy === 'OnFailure' ? 'the stand-in runs pods that are always restarted, or never' : undefined;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

export class PodWorker {
  /** Resolves when nothing of the pod runs any more and it has been removed. */
  readonly done: Promise<void>;
  /** Aborts when it starts nothing any more. */
  readonly ending: AbortSignal;
  private readonly options: NodeOptions;
  private readonly pod: Pod;
  private readonly object: PodObject | undefined;
  private readonly end = new AbortController();
  private readonly shared: Shared;
  /** Sidecars too. */
  private readonly initial: Container[];
  private readonly main: Container[];
  private hasEndedMain = false;
  private stays = false;
  private deadline = Number.POSITIVE_INFINITY;
  private unschedulable: string | undefined;
  private reported: Promise<void> = Promise.resolve();

  constructor(options: NodeOptions, pod: Pod, object?: PodObject) {
    this.options = options;
    this.pod = pod;
    this.object = object;
    this.ending = this.end.signal;
    const reader = { client: options.client, pod, token: makeTokens(options, pod, object !== undefined) };
    const changed = () => void this.report();
    this.shared = { options, reader, volumes: new Volumes(options, reader), signal: this.ending, changed };
    const old = statusesOf(pod);
    const make = (spec: V1Container, once: boolean) => {
      const before = old.find(({ name }) => name === spec.name);
      return new Container(this.shared, spec, { old: before, once });
    };
    this.initial = (pod.spec.initContainers ?? []).map((spec) => make(spec, spec.restartPolicy !== 'Always'));
    this.main = pod.spec.containers.map((spec) => make(spec, false));
    this.done = this.live().catch((error) => options.log(`pod ${pod.metadata.name}: ${messageOf(error)}`));
  }

  /** Whether a process of it has ended by itself. */
  get hasCrashed(): boolean {
    return this.main.some(({ status }) => status.lastState.terminated);
  }

  /** The standard input of a container that runs and has one. */
  stdin(container: string): Writable | undefined {
    return this.main.find(({ name }) => name === container)?.stdin;
  }

  /** Ends it gracefully and removes the object. A later call may shorten the time. */
  terminate(graceMs: number): void {
    this.deadline = Math.min(this.deadline, Date.now() + graceMs);
    this.end.abort();
    for (const container of this.hasEndedMain ? this.initial : this.early) container.end(this.deadline - Date.now());
  }

  /** What ends first: all but sidecars. */
  private get early(): Container[] {
    return [...this.initial.filter(({ isSidecar }) => !isSidecar), ...this.main];
  }

  /** Ends its processes and leaves the object: the stand-in stops, the pod goes on next time. */
  async stop(graceMs: number): Promise<void> {
    this.stays = true;
    this.terminate(graceMs);
    await this.done;
  }

  /** Writes the status as it is by then, one write at a time. */
  private report(): Promise<void> {
    this.reported = this.reported.then(() => {
      const [initial, main] = [this.initial, this.main].map((all) => all.map(({ status }) => status));
      const progress = { unschedulable: this.unschedulable, initial: initial ?? [], main: main ?? [] };
      return this.object?.report(podStatus(this.pod, progress, this.options.now()));
    });
    return this.reported;
  }

  private async live(): Promise<void> {
    if (!isOver(this.pod) && (await this.prepared())) await this.run();
    await this.reported;
    if (this.pod.spec.restartPolicy === 'Never') await aborted(this.ending);
    rmSync(tempFolderOf(this.options, this.pod.metadata.uid), { recursive: true, force: true });
    await this.reported;
    if (!this.stays) await this.object?.remove();
  }

  private async run(): Promise<void> {
    const { name } = this.pod.metadata;
    const renew = () =>
      this.shared.volumes.fill().catch((error) => this.options.log(`volumes of ${name}: ${messageOf(error)}`));
    const upkeep = setInterval(renew, UPKEEP);
    const late = this.untilDeadline();
    const running: Promise<void>[] = [];
    for (const container of this.initial) {
      running.push(container.run());
      await container.passed;
    }
    await Promise.all(this.main.map((container) => container.run()));
    this.hasEndedMain = true;
    for (const container of this.initial) container.end(Math.max(this.deadline - Date.now(), SIDECAR_GRACE));
    await Promise.all(running);
    clearInterval(upkeep);
    clearTimeout(late);
  }

  /** Ends what runs when the pod has run for as long as it may. */
  private untilDeadline(): NodeJS.Timeout | undefined {
    const { activeDeadlineSeconds } = this.pod.spec;
    if (activeDeadlineSeconds === undefined) return undefined;
    return setTimeout(() => {
      for (const container of this.main) container.end(SIDECAR_GRACE);
    }, activeDeadlineSeconds * 1000);
  }

  /** Waits for claims, then for what volumes name; whether it came before the pod was ended. */
  private async prepared(): Promise<boolean> {
    while (!this.ending.aborted && !(await this.isFilled())) await sleep(this.options.retryMs ?? 500, this.ending);
    return !this.ending.aborted;
  }

  private async isFilled(): Promise<boolean> {
    try {
      const isScheduled = await this.isScheduled();
      if (isScheduled) await this.shared.volumes.fill();
      return isScheduled;
    } catch (error) {
      for (const container of [...this.initial, ...this.main]) container.wait('ContainerCreating', messageOf(error));
      return false;
    }
  }

  /** Claims are looked at again once the pod is known to use them: one that was let go meanwhile is seen then. */
  private async isScheduled(): Promise<boolean> {
    const look = async () => problemOf(this.pod.spec) ?? (await unschedulable(this.shared.reader));
    this.unschedulable = await look();
    await this.report();
    this.unschedulable ??= await look();
    return this.unschedulable === undefined;
  }
}
