/** Where the API server serves a kind: from what it says itself, for kinds that this project does not know. */
import { isNotFound } from './errors.ts';
import type { Client, ResourceType } from './types.ts';

interface Resources {
  resources?: { name: string; kind: string; namespaced: boolean }[];
}

export interface Kind {
  apiVersion: string;
  kind: string;
}

/**
 * The type of a kind; `undefined` where the API server does not serve it. It must be asked as oneself: discovery is
 * refused to who acts as another (KEP-5284).
 */
export async function discover(client: Pick<Client, 'request'>, asked: Kind): Promise<ResourceType | undefined> {
  const { apiVersion, kind } = asked;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const path = `${group ? '/apis/' : '/api/'}${apiVersion}`;
  const { resources = [] } = await client.request<Resources>('GET', path).catch((error: unknown) => {
    if (isNotFound(error)) return {} as Resources;
    throw error;
  });
  const found = resources.find((one) => one.kind === kind && !one.name.includes('/'));
  return found && { group, version, kind, plural: found.name, namespaced: found.namespaced };
}
