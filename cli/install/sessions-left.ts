/** Whether anybody still uses tiny: nothing is taken from under Sessions unless that is asked for. */
import { isNotFound } from '../../lib/kube/errors.ts';
import { collectionPath } from '../../lib/kube/path.ts';
import { type Client, SESSIONS } from '../../lib/kube/types.ts';

interface Page {
  metadata?: { remainingItemCount?: number };
  items?: { metadata: { name: string; namespace?: string } }[];
}

export interface SessionsLeft {
  count: number;
  /** One of them, as `NAMESPACE/NAME`. */
  example: string;
}

/** `undefined` where there is none. One request, however many there are. */
export async function sessionsLeft(client: Client): Promise<SessionsLeft | undefined> {
  const page = await client.request<Page>('GET', `${collectionPath(SESSIONS)}?limit=1`).catch((error: unknown) => {
    if (isNotFound(error)) return {};
    throw error;
  });
  const { items = [], metadata } = page as Page;
  const [first] = items;
  if (!first) return undefined;
  const count = items.length + (metadata?.remainingItemCount ?? 0);
  return { count, example: `${first.metadata.namespace}/${first.metadata.name}` };
}
