/**
 * One container: life after life, or to its first good end where it is an init container, with the kubelet's back-off between them (none before the first restart, then
 * `backOffMs`, doubling to 30 times that; anew after ten minutes of life). No probes are run: running is ready.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import type { V1Container } from '@kubernetes/client-node';
import { messageOf, sleep, type World } from '../controllers/loop.ts';
import { commandOf, environmentOf } from './environment.ts';
import type { Reader } from './files.ts';
import { folder, type Host, logFileOf, pidFileOf } from './host.ts';
import type { ContainerState, ContainerStatus } from './pod.ts';
import { type Launch, launch, type Running } from './process.ts';
import type { Volumes } from './volumes.ts';

export interface NodeOptions extends World, Host {
  /** Milliseconds before a second restart. Kubernetes: 10,000. */
  backOffMs?: number;
  /** How soon to look again for what was missing: a Secret, a claim. Default 500 ms. */
  retryMs?: number;
}

/** What the containers of one pod share. `changed` makes the pod's status be written. */
export interface Shared {
  options: NodeOptions;
  reader: Reader;
  volumes: Volumes;
  /** Aborts when no container is to be started any more. */
  signal: AbortSignal;
  changed: () => void;
}

const KNOWN_IMAGES = 'tiny.dev/';
const LONG_LIFE = 600_000;

/** Of a life whose end the stand-in did not see. */
const LOST = { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'the stand-in ended while it ran' };

function statusOf({ name, image = '' }: V1Container, old: ContainerStatus | undefined): ContainerStatus {
  const { running, terminated } = old?.state ?? {};
  const ended = running ? { ...LOST, ...running } : (terminated ?? old?.lastState.terminated);
  const state = { waiting: { reason: 'ContainerCreating' } };
  const lastState = ended ? { terminated: ended } : {};
  const { restartCount = 0 } = old ?? {};
  return { name, image, imageID: '', ready: false, started: false, restartCount, state, lastState };
}

export class Container {
  readonly status: ContainerStatus;
  /** Resolves when the next container may start: this one runs, an init container is done, or the pod is ended. */
  readonly passed: Promise<void>;
  private readonly begun = Promise.withResolvers<void>();
  private readonly shared: Shared;
  private readonly spec: V1Container;
  private readonly once: boolean;
  private process: Running | undefined;

  /** `once`: it is done when it has ended well, as an init container that is no sidecar. */
  constructor(shared: Shared, spec: V1Container, { old, once }: { old: ContainerStatus | undefined; once: boolean }) {
    this.shared = shared;
    this.spec = spec;
    this.once = once;
    this.status = statusOf(spec, old);
    this.passed = this.begun.promise;
  }

  /** Whether it serves the others, and so ends after them. */
  get isSidecar(): boolean {
    return this.spec.restartPolicy === 'Always';
  }

  /** Whether a life that ended so is its last. */
  private isLast(exitCode: number | undefined): boolean {
    const { restartPolicy } = this.shared.reader.pod.spec;
    return (restartPolicy === 'Never' && !this.isSidecar) || (this.once && exitCode === 0);
  }

  /** Runs until the pod is ended, or until it is done. */
  async run(): Promise<void> {
    const { signal } = this.shared;
    for (let crashes = 0; !signal.aborted; ) {
      const began = Date.now();
      if (this.isLast(await this.live())) break;
      crashes = Date.now() - began > LONG_LIFE ? 1 : crashes + 1;
      if (!signal.aborted) await this.backOff(crashes);
    }
    this.begun.resolve();
  }

  get name(): string {
    return this.spec.name;
  }

  /** The standard input of what runs, where its spec asks for one. */
  get stdin(): Writable | undefined {
    return this.process?.stdin;
  }

  /** SIGTERM, and SIGKILL after `graceMs`. */
  end(graceMs: number): void {
    this.process?.end(graceMs);
  }

  /** It waits, and why. */
  wait(reason: string, message: string): void {
    this.set({ waiting: { reason, message } });
  }

  private set(state: ContainerState): void {
    const isRunning = state.running !== undefined;
    const isDone = this.once && state.terminated?.exitCode === 0;
    Object.assign(this.status, { state, ready: isDone || (isRunning && !this.once), started: isRunning });
    this.shared.changed();
  }

  private async backOff(crashes: number): Promise<void> {
    if (crashes < 2) return;
    const { backOffMs = 10_000 } = this.shared.options;
    const ms = Math.min(backOffMs * 2 ** (crashes - 2), backOffMs * 30);
    const { name, namespace, uid } = this.shared.reader.pod.metadata;
    const which = `container=${this.spec.name} pod=${name}_${namespace}(${uid})`;
    this.wait('CrashLoopBackOff', `back-off ${ms / 1000}s restarting failed ${which}`);
    await sleep(ms, this.shared.signal);
  }

  /** One life; the exit code at its end. */
  private async live(): Promise<number | undefined> {
    const process = await this.start();
    if (!process) return undefined;
    const { now } = this.shared.options;
    const startedAt = now().toISOString();
    this.status.containerID = `process://${process.pid}`;
    this.set({ running: { startedAt } });
    if (!this.once) this.begun.resolve();
    const { code: exitCode, ...signal } = await process.exited;
    this.process = undefined;
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    const terminated = { exitCode, ...signal, reason, startedAt, finishedAt: now().toISOString() };
    this.status.lastState = { terminated };
    this.set({ terminated });
    return exitCode;
  }

  /** Starts it as soon as all that it names is there; `undefined` where the pod is ended before. */
  private async start(): Promise<Running | undefined> {
    const { signal, options } = this.shared;
    while (!signal.aborted) {
      try {
        const launching = await this.prepare();
        if (signal.aborted) return undefined;
        this.process = launch(launching);
        return this.process;
      } catch (error) {
        this.wait('CreateContainerConfigError', messageOf(error));
        await sleep(options.retryMs ?? 500, signal);
      }
    }
  }

  private async prepare(): Promise<Launch> {
    const { options, reader, volumes } = this.shared;
    const { name, image } = this.spec;
    if (!image?.startsWith(KNOWN_IMAGES))
      throw new Error(`the stand-in runs processes and pulls no image: it has ${KNOWN_IMAGES}…, not "${image}"`);
    const mounts = volumes.mounts(this.spec);
    const cwd = volumes.workingFolder(this.spec);
    const env = { HOME: cwd, ...(await environmentOf(reader, this.spec, { host: options, mounts })) };
    const command = commandOf(this.spec, env, mounts);
    if (this.status.lastState.terminated) this.status.restartCount++;
    const { uid } = reader.pod.metadata;
    const logOf = (life: number) => logFileOf(options, uid, { name, life });
    const logFile = logOf(this.status.restartCount);
    folder(dirname(logFile));
    rmSync(logOf(this.status.restartCount - 2), { force: true });
    const { stdin = false } = this.spec;
    return { command, env, cwd, logFile, pidFile: pidFileOf(options, uid, name), stdin };
  }
}
