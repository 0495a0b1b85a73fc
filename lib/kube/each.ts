/**
 * Objects one by one, a page at a time in memory, in the order of the API server's keys (`namespace/name`, by bytes):
 * for passes over more objects than one would hold. A version that expires on the way (410) is thrown.
 */
import type { KubeObject, Stored } from '../api/meta.ts';
import { apiVersion, collectionPath, query } from './path.ts';
import type { Client, ListOptions, ResourceType } from './types.ts';

interface Page<T> {
  metadata?: { continue?: string };
  items?: T[] | null;
}

const PAGE_SIZE = 500;

/** Reads the next page only once the last one is used up. */
export async function* each<T extends KubeObject>(
  client: Pick<Client, 'request'>,
  type: ResourceType<T>,
  options: ListOptions = {},
): AsyncGenerator<Stored<T>, void> {
  const { namespace, labelSelector, fieldSelector, pageSize = PAGE_SIZE } = options;
  let next: string | undefined;
  do {
    const parameters = { labelSelector, fieldSelector, limit: pageSize, continue: next };
    const page = await client.request<Page<Stored<T>>>('GET', collectionPath(type, namespace) + query(parameters));
    // The items of a list of a built-in kind name neither.
    for (const item of page.items ?? []) yield { ...item, apiVersion: apiVersion(type), kind: type.kind };
    next = page.metadata?.continue || undefined;
  } while (next);
}
