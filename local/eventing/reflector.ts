/**
 * Lists, then watches from there, as the adapter of ApiServerSource does: what a list finds gives no event, be it the
 * first or a later one after 410 Gone. (`Client.watch` would report those; so it is not used here.)
 */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { ApiError, isGone } from '../../lib/kube/errors.ts';
import { lines } from '../../lib/kube/lines.ts';
import { query } from '../../lib/kube/path.ts';
import type { Client } from '../../lib/kube/types.ts';
import { messageOf, sleep } from '../controllers/loop.ts';
import type { Change } from './cloud-event.ts';

export interface Reflecting {
  client: Client;
  path: string;
  labelSelector: string | undefined;
  signal: AbortSignal;
  /** The list went well, or why not. */
  listed: (problem?: string) => unknown;
  changed: (object: KubeObject, change: Change) => Promise<void>;
}
type List = { metadata: { resourceVersion: string } };
type Line = { type: Change | 'BOOKMARK' | 'ERROR'; object: Stored<KubeObject> & { code?: number } };

async function* bytes(text: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const piece of text) yield Buffer.from(piece);
}

/** Reports each change, and how far the watch has come. Throws `ApiError` where it has to be listed anew. */
async function* watchFrom(version: string, { client, path, labelSelector, signal, changed }: Reflecting) {
  const asked = query({ watch: true, allowWatchBookmarks: true, resourceVersion: version, labelSelector });
  for await (const line of lines(bytes(client.stream(path + asked, signal)))) {
    const { type, object }: Line = JSON.parse(line);
    if (type === 'ERROR') throw new ApiError(object.code ?? 500, {});
    if (type !== 'BOOKMARK') await changed(object, type);
    yield object.metadata.resourceVersion;
  }
}

/** Watches until it has to be listed anew; a connection that broke is taken up where it was. */
async function watchOn(version: string, at: Reflecting): Promise<void> {
  let reached = version;
  while (!at.signal.aborted) {
    try {
      for await (const next of watchFrom(reached, at)) reached = next;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      await sleep(1000, at.signal);
    }
  }
}

/** Runs until the signal aborts. */
export async function reflect(at: Reflecting): Promise<void> {
  const { client, path, labelSelector, signal, listed } = at;
  while (!signal.aborted) {
    try {
      const list = await client.request<List>('GET', path + query({ labelSelector }));
      await listed();
      await watchOn(list.metadata.resourceVersion, at);
    } catch (error) {
      if (signal.aborted || isGone(error)) continue;
      await listed(messageOf(error));
      await sleep(1000, signal);
    }
  }
}
