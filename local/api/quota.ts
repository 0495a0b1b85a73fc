/** ResourceQuota, as far as it counts objects: `count/sessions.tiny.dev`, `count/pods`. */
import type { Stored } from '../types.ts';
import { type About, forbidden, groupResource } from './errors.ts';
import type { Store } from './store.ts';

/** Throws 403 where one more object is more than a quota of its namespace allows. */
export function holdToQuota(store: Store, resource: About, { metadata: { name, namespace = '' } }: Stored): void {
  const key = `count/${groupResource(resource)}`;
  const used = store.list(groupResource(resource), namespace).length;
  for (const quota of namespace ? store.list('resourcequotas', namespace) : []) {
    const { hard = {} } = (quota.spec ?? {}) as { hard?: Record<string, string> };
    if (hard[key] === undefined || used < Number(hard[key])) continue;
    const counts = `requested: ${key}=1, used: ${key}=${used}, limited: ${key}=${hard[key]}`;
    throw forbidden(resource, name, `exceeded quota: ${quota.metadata.name}, ${counts}`);
  }
}
