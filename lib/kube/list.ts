/** A list in pages, as it was at one moment. */
import type { KubeObject, Stored } from '../api/meta.ts';
import { isGone } from './errors.ts';
import { apiVersion, collectionPath, query } from './path.ts';
import type { List, ListOptions, ResourceType } from './types.ts';

/** Reads JSON from a path. */
export type Get = <T>(path: string) => Promise<T>;

interface Page<T> {
  metadata?: { resourceVersion?: string; continue?: string };
  items?: T[] | null;
}

const PAGE_SIZE = 500;

async function pages<T extends KubeObject>(get: Get, type: ResourceType<T>, options: ListOptions) {
  const { namespace, labelSelector, fieldSelector, pageSize = PAGE_SIZE } = options;
  const list: List<Stored<T>> = { items: [], resourceVersion: '' };
  let next: string | undefined;
  do {
    const parameters = { labelSelector, fieldSelector, limit: pageSize || undefined, continue: next };
    const page = await get<Page<Stored<T>>>(collectionPath(type, namespace) + query(parameters));
    // The items of a list of a built-in kind name neither.
    for (const item of page.items ?? []) {
      list.items.push({ ...item, apiVersion: apiVersion(type), kind: type.kind });
    }
    list.resourceVersion = page.metadata?.resourceVersion ?? '';
    next = page.metadata?.continue || undefined;
  } while (next);
  return list;
}

/**
 * All objects. Where the version that the pages are read at expires on the way (410), it starts again in one page,
 * which can't expire.
 */
export async function list<T extends KubeObject>(get: Get, type: ResourceType<T>, options: ListOptions) {
  try {
    return await pages(get, type, options);
  } catch (error) {
    if (!isGone(error)) throw error;
    return await pages(get, type, { ...options, pageSize: 0 });
  }
}
