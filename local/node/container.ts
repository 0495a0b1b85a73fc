/**
 * One container: life after life, with the kubelet's back-off between them (none before the first restart, then
 * `backOffMs`, doubling to 30 times that; anew after ten minutes of life). No probes are run: running is ready.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { V1Container } from '@kubernetes/client-node';
import { messageOf, sleep, type World } from '../controllers/loop.ts';
import { commandOf, environmentOf } from './environment.ts';
import { folder, type Host, logFileOf, pidFileOf } from './host.ts';
import type { ContainerState, ContainerStatus, Terminated } from './pod.ts';
import { launch, type Running } from './process.ts';
import { type Reader, Waiting } from './projections.ts';
import type { Volumes } from './volumes.ts';

export interface NodeOptions extends World, Host {
  /** Milliseconds before a second restart. Kubernetes: 10,000. */
  backOffMs?: number;
  /** How soon to look again for what was missing: a Secret, a claim. Default 500 ms. */
  retryMs?: number;
  /** How often Secrets, ConfigMaps, tokens and log sizes are looked at. Default 30,000 ms. */
  upkeepMs?: number;
}

/** What the containers of one pod share. `changed` makes the pod's status be written. */
export interface Shared {
  options: NodeOptions;
  reader: Reader;
  volumes: Volumes;
  signal: AbortSignal;
  changed: () => void;
}

const KNOWN_IMAGES = 'tiny.dev/';
const LONG_LIFE = 600_000;

/** When to start again after an exit with this code. */
export type RestartRule = (exitCode: number) => boolean;

const statusOf = ({ name, image = '' }: V1Container, old: ContainerStatus | undefined): ContainerStatus => {
  const lost = old?.state.running && {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'the stand-in ended while it ran',
    ...old.state.running,
  };
  const terminated = lost ?? old?.state.terminated;
  const state: ContainerState = { waiting: { reason: 'PodInitializing' } };
  const lastState = terminated ? { terminated } : (old?.lastState ?? {});
  return {
    name,
    image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: old?.restartCount ?? 0,
    state,
    lastState,
  };
};

export class Container {
  readonly status: ContainerStatus;
  readonly spec: V1Container;
  /** Resolves when it has run for the first time, or will not any more. */
  readonly started: Promise<void>;
  private begun: () => void = () => undefined;
  private readonly shared: Shared;
  private process: Running | undefined;

  constructor(shared: Shared, spec: V1Container, old?: ContainerStatus) {
    this.shared = shared;
    this.spec = spec;
    this.status = statusOf(spec, old);
    this.started = new Promise((resolve) => {
      this.begun = resolve;
    });
  }

  /** Runs until the rule says no more, or the pod is ended; how it ended, if it ever ran. */
  async run(restarts: RestartRule): Promise<Terminated | undefined> {
    const { signal, options } = this.shared;
    const base = options.backOffMs ?? 10_000;
    let crashes = 0;
    let began = Date.now();
    let ended = await this.live();
    while (ended && !signal.aborted && restarts(ended.exitCode)) {
      crashes = Date.now() - began > LONG_LIFE ? 0 : crashes + 1;
      if (crashes > 1) await this.backOff(Math.min(base * 2 ** (crashes - 2), base * 30));
      began = Date.now();
      ended = (await this.live()) ?? ended;
    }
    this.begun();
    return ended;
  }

  /** SIGTERM, and SIGKILL after `graceMs`. */
  end(graceMs: number): void {
    this.process?.end(graceMs);
  }

  private set(state: ContainerState): void {
    const isRunning = state.running !== undefined;
    Object.assign(this.status, { state, ready: isRunning, started: isRunning });
    this.shared.changed();
  }

  private async backOff(ms: number): Promise<void> {
    const { name, namespace, uid } = this.shared.reader.pod.metadata;
    const message = `back-off ${ms / 1000}s restarting failed container=${this.spec.name} pod=${name}_${namespace}(${uid})`;
    this.shared.options.log(message);
    this.set({ waiting: { reason: 'CrashLoopBackOff', message } });
    await sleep(ms, this.shared.signal);
  }

  private async live(): Promise<Terminated | undefined> {
    const process = await this.start();
    if (!process) return undefined;
    this.process = process;
    const startedAt = this.shared.options.now().toISOString();
    this.status.containerID = `process://${process.pid}`;
    this.set({ running: { startedAt } });
    this.begun();
    const { code: exitCode, signal } = await process.exited;
    this.process = undefined;
    const finishedAt = this.shared.options.now().toISOString();
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    const terminated = { exitCode, ...(signal === undefined ? {} : { signal }), reason, startedAt, finishedAt };
    this.status.lastState = { terminated };
    this.set({ terminated });
    return terminated;
  }

  /** Starts it as soon as all that it names is there; `undefined` where the pod is ended before. */
  private async start(): Promise<Running | undefined> {
    const { signal, options } = this.shared;
    for (;;) {
      const launching = await this.prepare().catch((error) => this.cannotStart(error));
      if (signal.aborted) return undefined;
      if (launching) return launch(launching);
      await sleep(options.retryMs ?? 500, signal);
    }
  }

  private cannotStart(error: unknown): undefined {
    const reason = error instanceof Waiting ? error.reason : 'CreateContainerError';
    this.set({ waiting: { reason, message: messageOf(error) } });
  }

  private async prepare() {
    const { options, reader, volumes } = this.shared;
    const { name, image = '', workingDir } = this.spec;
    if (!image.startsWith(KNOWN_IMAGES))
      throw new Waiting(
        'ErrImagePull',
        `the stand-in runs processes and pulls no image: it has ${KNOWN_IMAGES}…, not "${image}"`,
      );
    const mounts = volumes.mounts(this.spec);
    const home = volumes.workingFolder(this.spec);
    const env = { HOME: home, ...(await environmentOf(reader, this.spec, { host: options, mounts })) };
    const command = commandOf(this.spec, env, mounts);
    if (this.status.lastState.terminated) this.status.restartCount++;
    const { uid } = reader.pod.metadata;
    const logFile = logFileOf(options, uid, { name, life: this.status.restartCount });
    folder(dirname(logFile));
    rmSync(logFileOf(options, uid, { name, life: this.status.restartCount - 2 }), { force: true });
    const cwd = mounts.find(({ container }) => container === workingDir)?.host ?? home;
    return { command, env, cwd, logFile, pidFile: pidFileOf(options, uid, name) };
  }
}
