/**
 * A function's one process: started on the first request, ended when it has been idle. One process at most, whatever
 * `max-scale` says: on one machine a second would only compete with the first.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, sleep, type World } from '../controllers/loop.ts';
import { environmentOf } from '../node/environment.ts';
import { folder, type Host, logFileOf, pidFileOf, tempFolderOf } from '../node/host.ts';
import { launch, type Running } from '../node/process.ts';
import { makeTokens } from '../node/tokens.ts';
import { Volumes } from '../node/volumes.ts';
import { freePort, isListening } from './port.ts';
import type { Wanted } from './service.ts';

export interface FunctionOptions extends World, Host {
  /** The bundles of the functions. */
  functionsFolder: string;
  /** Idle time before the process is ended, milliseconds. Knative's scale-to-zero grace, and the default: 30,000. */
  scaleToZeroMs?: number;
}

/** The process ended before it listened. */
export class NotStarted extends Error {
  override name = 'NotStarted';
}

const GRACE = 10_000;
const UPKEEP = 30_000;
const EXIT_SEEN = 100;

export class Instance {
  /** Milliseconds from spawn to the first successful TCP connection, one a start. */
  readonly coldStarts: number[] = [];
  readonly wanted: Wanted;
  private readonly options: FunctionOptions;
  private readonly volumes: Volumes;
  private process: Running | undefined;
  /** The one before, while it ends. */
  private old: Running | undefined;
  private port: Promise<number> | undefined;
  private inFlight = 0;
  private readonly waiting: (() => void)[] = [];
  /** Aborts when the latest process has ended. */
  private ended = AbortSignal.abort();
  private idle: NodeJS.Timeout | undefined;
  private retired = false;
  private stopped = false;

  constructor(options: FunctionOptions, wanted: Wanted) {
    this.options = options;
    this.wanted = wanted;
    const { pod } = wanted;
    this.volumes = new Volumes(options, { client: options.client, pod, tokens: makeTokens(options, pod, false) });
  }

  get isRunning(): boolean {
    return this.process !== undefined || this.old !== undefined;
  }

  /** Runs `work` with the port of the process, which is started if need be. Throws `NotStarted`, and what `work` throws. */
  async use<T>(work: (port: number) => Promise<T>): Promise<T> {
    clearTimeout(this.idle);
    const { concurrency } = this.wanted;
    if (concurrency > 0 && this.inFlight >= concurrency) await new Promise<void>((go) => this.waiting.push(go));
    else this.inFlight++;
    try {
      return await work(await this.listening());
    } catch (error) {
      // A broken connection is seen before the exit that broke it: the next request must not meet a dead port.
      await sleep(EXIT_SEEN, this.ended);
      throw error;
    } finally {
      this.leave();
    }
  }

  /** No more requests will come: ends with the last one in flight. */
  retire(): void {
    this.retired = true;
    if (this.inFlight === 0) this.process?.end(GRACE);
  }

  /** Ends the process, whatever is in flight. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.idle);
    const both = [this.process, this.old];
    for (const process of both) process?.end(GRACE);
    await Promise.all(both.map((process) => process?.exited));
  }

  private listening(): Promise<number> {
    if (this.port) return this.port;
    const port = this.start();
    this.port = port;
    port.catch(() => {
      if (this.port === port) this.port = undefined;
    });
    return port;
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.inFlight--;
    if (this.inFlight > 0) return;
    const { scaleToZeroMs = 30_000 } = this.options;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.sleep(), this.retired ? 0 : scaleToZeroMs + this.wanted.retentionMs);
  }

  /** The next request waits until the old process has ended, and starts another. */
  private sleep(): void {
    this.process?.end(GRACE);
    this.old = this.process;
    this.process = undefined;
    this.port = undefined;
  }

  private async start(): Promise<number> {
    await this.old?.exited;
    return this.spawn().catch((error) => {
      throw new NotStarted(messageOf(error));
    });
  }

  private async spawn(): Promise<number> {
    const { options, wanted, volumes } = this;
    const { container, pod, name } = wanted;
    await volumes.fill();
    const [mounts, cwd, port] = [volumes.mounts(container), volumes.workingFolder(container), await freePort()];
    const reader = { client: options.client, pod, tokens: async () => '' };
    const own = await environmentOf(reader, container, { host: options, mounts });
    const env = { HOME: cwd, ...own, PORT: String(port), K_SERVICE: name, K_CONFIGURATION: name, K_REVISION: name };
    const pidFile = pidFileOf(options, name, container.name);
    const logFile = logFileOf(options, name, { name: container.name, life: 0 });
    folder(dirname(logFile));
    if (this.stopped) throw new NotStarted('the stand-in is stopping');
    const began = performance.now();
    const running = launch({ command: [process.execPath, wanted.bundle], env, cwd, logFile, pidFile });
    this.process = running;
    const ended = this.watch(running);
    this.ended = ended;
    while (!(await isListening(port))) {
      if (ended.aborted) throw new NotStarted(`function ${name} ended before it listened; its log: ${logFile}`);
      await sleep(5, ended);
    }
    this.coldStarts.push(performance.now() - began);
    return port;
  }

  /** Forgets the process when it ends, and renews its files until then. */
  private watch(running: Running): AbortSignal {
    const ended = new AbortController();
    const renew = () =>
      this.volumes.fill().catch((error) => this.options.log(`${this.wanted.name}: ${messageOf(error)}`));
    const upkeep = setInterval(renew, UPKEEP);
    void running.exited.then(() => {
      clearInterval(upkeep);
      ended.abort();
      // The one that replaces a retired instance has the same folder.
      if (!this.retired) rmSync(tempFolderOf(this.options, this.wanted.name), { recursive: true, force: true });
      if (this.old === running) this.old = undefined;
      if (this.process !== running) return;
      this.process = undefined;
      this.port = undefined;
    });
    return ended.signal;
  }
}
