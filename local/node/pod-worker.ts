/**
 * One pod's life on this node: claims, volumes, init containers in order, sidecars, main containers; then the same
 * backwards, and the object's removal. After a restart of the stand-in the pod begins anew, as after a node's
 * reboot, but only once what an earlier run left has ended: never two copies.
 */
import type { V1Container } from '@kubernetes/client-node';
import { aborted, messageOf, sleep } from '../controllers/loop.ts';
import { Container, type NodeOptions, type RestartRule, type Shared } from './container.ts';
import { endLeftovers, removeFolders } from './leftover.ts';
import { bound as boundLogs } from './logs.ts';
import { isFinished, type Pod } from './pod.ts';
import { podStatus } from './pod-status.ts';
import { Waiting } from './projections.ts';
import { Reporter, removePod } from './reporter.ts';
import { makeTokens } from './tokens.ts';
import { unschedulable, Volumes } from './volumes.ts';

const always: RestartRule = () => true;
const isSidecar = ({ restartPolicy }: V1Container): boolean => restartPolicy === 'Always';
/** A sidecar has at least this long after the main containers, as with the kubelet. */
const SIDECAR_GRACE = 2000;

export class PodWorker {
  /** Resolves when nothing of the pod runs any more and it has been removed. */
  readonly done: Promise<void>;
  private readonly options: NodeOptions;
  private readonly pod: Pod;
  /** Starts nothing any more. */
  private readonly ending = new AbortController();
  /** The object is to be removed, or the stand-in stops. */
  private readonly leaving = new AbortController();
  private readonly stopped = new AbortController();
  private readonly shared: Shared;
  private readonly init: Container[];
  private readonly main: Container[];
  private readonly reporter: Reporter;
  private deadline = Number.POSITIVE_INFINITY;
  private unschedulable: string | undefined;
  private initialized = false;
  private ended: 'Succeeded' | 'Failed' | undefined;
  private last: Container[] = [];

  constructor(options: NodeOptions, pod: Pod) {
    this.options = options;
    this.pod = pod;
    const reader = { client: options.client, pod, tokens: makeTokens(options, pod, true) };
    const read = (before: Pod['status']) => podStatus(this.progress(), before, options.now());
    this.reporter = new Reporter(options, pod, { read, stopped: this.stopped.signal });
    const changed = () => void this.reporter.changed();
    this.shared = { options, reader, volumes: new Volumes(options, reader), signal: this.ending.signal, changed };
    const old = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
    const make = (spec: V1Container) =>
      new Container(
        this.shared,
        spec,
        old.find(({ name }) => name === spec.name),
      );
    this.init = (pod.spec.initContainers ?? []).map(make);
    this.main = pod.spec.containers.map(make);
    this.done = this.live().catch((error) => options.log(`pod ${pod.metadata.name}: ${messageOf(error)}`));
  }

  /** Ends it gracefully and removes the object. A later call may shorten the time. */
  terminate(graceMs: number): void {
    this.deadline = Math.min(this.deadline, Date.now() + graceMs);
    this.ending.abort();
    this.leaving.abort();
    const first = [...this.init.filter(({ spec }) => !isSidecar(spec)), ...this.main, ...this.last];
    for (const container of first) container.end(this.deadline - Date.now());
  }

  /** Ends its processes and leaves the object and the folders: the stand-in stops, the pod goes on next time. */
  async stop(graceMs: number): Promise<void> {
    this.stopped.abort();
    this.terminate(graceMs);
    await this.done;
  }

  private get graceMs(): number {
    return (this.pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
  }

  private progress() {
    const { unschedulable, initialized, ended, init, main } = this;
    return { unschedulable, initialized, ended, init, main };
  }

  private async live(): Promise<void> {
    const { metadata } = this.pod;
    await endLeftovers(this.options, metadata.uid, this.graceMs);
    if (!isFinished(this.pod) && !metadata.deletionTimestamp) {
      await this.run();
      await this.reporter.changed();
    }
    if (!metadata.deletionTimestamp) await aborted(this.leaving.signal);
    if (!this.stopped.signal.aborted) await this.remove();
  }

  private async run(): Promise<void> {
    if (!(await this.prepared())) return;
    const ended = new AbortController();
    const upkeep = this.upkeep(AbortSignal.any([ended.signal, this.ending.signal]));
    const sidecars = this.init.filter(({ spec }) => isSidecar(spec));
    const running = new Map<Container, Promise<unknown>>();
    const fine = await this.initialize((sidecar) => running.set(sidecar, sidecar.run(always)));
    this.initialized = fine;
    if (fine) await this.runMain();
    else if (!this.ending.signal.aborted) this.ended = 'Failed';
    for (const sidecar of sidecars.reverse()) await this.endSidecar(sidecar, running.get(sidecar));
    ended.abort();
    await upkeep;
  }

  /** Waits for claims, then for what volumes name. Claims are looked at again once the pod is known to use them. */
  private async prepared(): Promise<boolean> {
    const { signal, reader, volumes } = this.shared;
    while (!signal.aborted) {
      try {
        this.unschedulable = await unschedulable(reader);
        await this.reporter.changed();
        this.unschedulable ??= await unschedulable(reader);
        if (this.unschedulable === undefined) {
          await volumes.fill();
          return true;
        }
      } catch (error) {
        this.cannotFill(error);
      }
      await sleep(this.options.retryMs ?? 500, signal);
    }
    return false;
  }

  private cannotFill(error: unknown): void {
    const waiting = {
      reason: error instanceof Waiting ? error.reason : 'ContainerCreating',
      message: messageOf(error),
    };
    for (const { status } of [...this.init, ...this.main]) status.state = { waiting };
    void this.reporter.changed();
  }

  /** Whether all init containers have run and all sidecars run. */
  private async initialize(startSidecar: (sidecar: Container) => void): Promise<boolean> {
    for (const container of this.init) {
      if (isSidecar(container.spec)) {
        startSidecar(container);
        await container.started;
      } else {
        const ended = await container.run((code) => code !== 0 && this.pod.spec.restartPolicy !== 'Never');
        if (ended?.exitCode !== 0) return false;
        container.status.ready = true;
      }
      if (this.ending.signal.aborted) return false;
    }
    return true;
  }

  private async runMain(): Promise<void> {
    const { restartPolicy = 'Always' } = this.pod.spec;
    const rule: RestartRule = (code) => restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && code !== 0);
    const ends = await Promise.all(this.main.map((container) => container.run(rule)));
    this.ended = ends.every((end) => end?.exitCode === 0) ? 'Succeeded' : 'Failed';
  }

  private async endSidecar(sidecar: Container, running: Promise<unknown> | undefined): Promise<void> {
    this.ending.abort();
    const left = Math.min(this.deadline - Date.now(), this.graceMs);
    this.last = [sidecar];
    sidecar.end(Math.max(left, SIDECAR_GRACE));
    await running;
  }

  private async upkeep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.options.upkeepMs ?? 30_000, signal);
      if (signal.aborted) return;
      boundLogs(this.options, this.pod.metadata.uid);
      await this.shared.volumes
        .fill()
        .catch((error) => this.options.log(`volumes of ${this.pod.metadata.name}: ${messageOf(error)}`));
    }
  }

  private async remove(): Promise<void> {
    this.stopped.abort();
    removeFolders(this.options, this.pod.metadata.uid);
    await removePod(this.options, this.pod);
  }
}
