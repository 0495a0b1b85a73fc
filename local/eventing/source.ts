/**
 * ApiServerSource: one watch a kind, as the source's service account, one event sent after the other. It loses what
 * the real one loses: what a list finds, be it the first or a later one after 410 Gone, and what can't be sent in
 * about 1.6 seconds.
 */
import { randomUUID } from 'node:crypto';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { systemClock } from '../../lib/kube/clock.ts';
import { collectionPath, query } from '../../lib/kube/path.ts';
import type { Client, WatchEvent } from '../../lib/kube/types.ts';
import { type WatchSource, watch } from '../../lib/kube/watch.ts';
import { keepOn, messageOf, type Part, sleep, startPart, type World } from '../controllers/loop.ts';
import { apiServerEvent, pluralOf } from './cloud-event.ts';
import type { Send } from './faults.ts';
import type { ApiServerSource, Watched } from './kinds.ts';

const RETRIES = 5;
const FIRST_RETRY = 50;

/** What the stand-in does not do of a source's spec. */
export function sourceProblem({ spec }: ApiServerSource): string | undefined {
  if (spec.mode === 'Resource') return 'the stand-in sends references only (mode: Reference)';
  if (!spec.namespaceSelector || Object.keys(spec.namespaceSelector).length > 0)
    return 'the stand-in watches all namespaces (namespaceSelector: {}), not selected ones';
  if (spec.resources.some(({ selector }) => selector)) return 'the stand-in watches all objects of a kind';
}

export interface SourceOptions extends World {
  /** The API server's URL: the events' `source`. */
  apiServer: string;
  send: Send;
  /** Told what keeps the source from being served, or nothing. */
  tell: (problem?: string) => unknown;
}

interface Listed {
  metadata: { resourceVersion: string };
  items: Stored<KubeObject>[];
}

async function* bytes(text: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const piece of text) yield Buffer.from(piece);
}

const pathOf = ({ apiVersion, kind }: Watched): string => {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return collectionPath({ group, version, kind, plural: pluralOf(kind), namespaced: true });
};

class Source {
  /** Resolves when each kind has been listed, or could not be. */
  readonly tried = Promise.withResolvers<void>();
  private readonly problems = new Map<Watched, string | undefined>();
  private readonly spec: ApiServerSource['spec'];
  private readonly client: Client;
  private readonly options: SourceOptions;

  constructor({ metadata, spec }: Stored<ApiServerSource>, options: SourceOptions) {
    const { serviceAccountName = 'default' } = spec;
    this.spec = spec;
    this.options = options;
    this.client = options.client.as({ username: `system:serviceaccount:${metadata.namespace}:${serviceAccountName}` });
  }

  async run(signal: AbortSignal): Promise<void> {
    const watchOne = (resource: Watched) =>
      keepOn(
        signal,
        () => this.watch(resource, signal),
        (error) => this.note(resource, messageOf(error)),
      );
    await Promise.all(this.spec.resources.map(watchOne));
  }

  /** Notes what keeps a kind from being watched, or that nothing does. */
  private note(resource: Watched, problem?: string): void {
    this.problems.set(resource, problem);
    if (this.problems.size < this.spec.resources.length) return;
    this.options.tell([...this.problems.values()].find(Boolean));
    this.tried.resolve();
  }

  /** What comes between a list and its watch was found by the list. Throws where the first list fails. */
  private async watch(resource: Watched, signal: AbortSignal): Promise<void> {
    const path = pathOf(resource);
    let isListing = true;
    const source: WatchSource<Stored<KubeObject>> = {
      clock: systemClock,
      list: async () => {
        isListing = true;
        const { metadata, items } = await this.client.request<Listed>('GET', path);
        return { resourceVersion: metadata.resourceVersion, items };
      },
      open: async (resourceVersion) => {
        isListing = false;
        this.note(resource);
        const asked = query({ watch: true, allowWatchBookmarks: true, resourceVersion });
        return bytes(this.client.stream(path + asked, signal));
      },
    };
    for await (const event of watch(source, signal)) if (!isListing) await this.send(event, signal);
  }

  private async send({ object, type: change }: WatchEvent<KubeObject>, signal: AbortSignal): Promise<void> {
    const { apiServer: source, now, log, send } = this.options;
    const id = randomUUID();
    const event = apiServerEvent({ object, change, source, id, time: now() });
    const aborted = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    for (let retry = 0; !signal.aborted; retry++) {
      const code = await Promise.race([send(event), aborted]);
      if (code === undefined || code < 300) return;
      if (retry >= RETRIES) return log(`event ${id} is lost: its sink answered ${code}`);
      await sleep(FIRST_RETRY * 2 ** retry, signal);
    }
  }
}

/**
 * Runs until stopped, with the reading rights of `spec.serviceAccountName` (default `default`). Resolves when each kind
 * has been listed, or could not be.
 */
export async function startSource(object: Stored<ApiServerSource>, options: SourceOptions): Promise<Part> {
  const source = new Source(object, options);
  const part = startPart((signal) => source.run(signal));
  await source.tried.promise;
  return part;
}
