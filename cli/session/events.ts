/** The events that the cluster holds about an object; a cluster or a person without them has none. */
import { isForbidden, isNotFound } from '../../lib/kube/errors.ts';
import { query } from '../../lib/kube/path.ts';
import type { Client } from '../../lib/kube/types.ts';

/** An event as it is told: `at` is when it was seen last. */
export interface KubeEvent {
  at: string | undefined;
  type: string;
  reason: string;
  message: string;
}

interface RawEvent {
  type?: string;
  reason?: string;
  message?: string;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  metadata?: { creationTimestamp?: string };
}

const toEvent = (raw: RawEvent): KubeEvent => ({
  at: raw.lastTimestamp ?? raw.eventTime ?? raw.metadata?.creationTimestamp,
  type: raw.type ?? '',
  reason: raw.reason ?? '',
  message: raw.message ?? '',
});

/** The last `count` events about the object with this uid, oldest first. */
export async function lastEvents(
  client: Client,
  of: { namespace: string; uid: string },
  count = 8,
): Promise<KubeEvent[]> {
  const selected = query({ fieldSelector: `involvedObject.uid=${of.uid}`, limit: 500 });
  const path = `/api/v1/namespaces/${encodeURIComponent(of.namespace)}/events${selected}`;
  const list = await client.request<{ items?: RawEvent[] }>('GET', path).catch((error: unknown) => {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  });
  return (list?.items ?? [])
    .map(toEvent)
    .sort((a, b) => Date.parse(a.at ?? '') - Date.parse(b.at ?? ''))
    .slice(-count);
}
