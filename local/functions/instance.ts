/**
 * A function's one process: started on the first request, ended when it has been idle. One process at most, whatever
 * `max-scale` says: on one machine a second would only compete with the first.
 */
import { sleep } from '../controllers/loop.ts';
import type { NodeOptions } from '../node/container.ts';
import { PodWorker } from '../node/pod-worker.ts';
import { freePort, isListening } from './port.ts';
import { type Address, podOf, type Wanted } from './service.ts';

/** What an instance needs besides: where the other functions are. */
export type InstanceOptions = FunctionOptions & { address: Address };

export interface FunctionOptions extends NodeOptions {
  /** The bundles of the functions. */
  functionsFolder: string;
  /** Idle time before the process is ended, milliseconds. Knative's scale-to-zero grace, and the default: 30,000. */
  scaleToZeroMs?: number;
}

/** The process ended before it listened. */
export class NotStarted extends Error {
  override name = 'NotStarted';
}

/** Milliseconds that a process has after SIGTERM. */
const GRACE = 10_000;
/** A broken connection is seen before the exit that broke it; by then, in milliseconds, both are. */
const EXIT_SEEN = 100;

export class Instance {
  /** Milliseconds from a request to the first successful TCP connection, one a start. */
  readonly coldStarts: number[] = [];
  readonly wanted: Wanted;
  private readonly options: InstanceOptions;
  private worker: PodWorker | undefined;
  private port: Promise<number> | undefined;
  /** Resolves when no process runs that `end` has ended. */
  private ended: Promise<void> = Promise.resolve();
  private processes = 0;
  private inFlight = 0;
  private idle: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(options: InstanceOptions, wanted: Wanted) {
    this.options = options;
    this.wanted = wanted;
  }

  get isRunning(): boolean {
    return this.processes > 0;
  }

  /** Runs `work` with the port of the process, which is started if need be. Throws `NotStarted`, and what `work` throws. */
  async use<T>(work: (port: number) => Promise<T>): Promise<T> {
    clearTimeout(this.idle);
    this.inFlight++;
    try {
      if (this.worker?.hasCrashed) this.end(0);
      this.port ??= this.start();
      return await work(await this.port);
    } catch (error) {
      await sleep(EXIT_SEEN, this.worker?.ending);
      throw error;
    } finally {
      this.inFlight--;
      const { scaleToZeroMs = 30_000 } = this.options;
      if (this.inFlight === 0 && !this.isStopped) this.idle = setTimeout(() => this.end(GRACE), scaleToZeroMs);
    }
  }

  /** Ends the process, whatever is in flight. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.idle);
    this.end(GRACE);
    await this.ended;
  }

  /** The next request starts another, once this one has ended. */
  private end(graceMs: number): void {
    this.worker?.terminate(graceMs);
    this.ended = this.worker?.done ?? this.ended;
    this.worker = undefined;
    this.port = undefined;
  }

  private async start(): Promise<number> {
    const began = performance.now();
    await this.ended;
    const port = await freePort();
    if (this.isStopped) throw new NotStarted('the stand-in is stopping');
    const worker = new PodWorker(this.options, podOf(this.wanted, { port, address: this.options.address }));
    this.worker = worker;
    this.processes++;
    void worker.done.then(() => this.processes--);
    while (!(await isListening(port))) {
      if (worker.hasCrashed || worker.ending.aborted)
        throw new NotStarted(`function ${this.wanted.pod.metadata.name} ended before it listened`);
      await sleep(5, worker.ending);
    }
    this.coldStarts.push(performance.now() - began);
    return port;
  }
}
