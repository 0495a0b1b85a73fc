/**
 * The setting `limits.maxSessions` is a ResourceQuota: the API server counts, and nobody gets past it. It is made and changed
 * with the person's own rights, before the setting is, so that a setting that says more than holds is none of ours.
 */

import type { KubeObject } from '../../lib/api/meta.ts';
import { makeQuota, SESSION_COUNT } from '../../lib/install/quota.ts';
import { isForbidden, isNotFound } from '../../lib/kube/errors.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';

export const MAX_SESSIONS = 'limits.maxSessions';

interface Quota extends KubeObject {
  spec?: { hard?: Record<string, string> };
}

const QUOTAS: ResourceType<Quota> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

/** Makes the quota say what the setting is to say; `null`: no limit. What else stands in it stays. */
export async function followQuota(app: App, wanted: string | null): Promise<void> {
  const { client, namespace } = await app.cluster();
  if (wanted !== null) {
    await client.apply(QUOTAS, makeQuota(namespace, Number(wanted)) as Quota).catch(withoutQuotas);
    return;
  }
  const ref = { namespace, name: 'tiny' };
  const live = await client.get(QUOTAS, ref);
  const others = Object.keys(live?.spec?.hard ?? {}).filter((one) => one !== SESSION_COUNT);
  if (!others.length) return await client.delete(QUOTAS, ref);
  await client.patch(QUOTAS, ref, { type: 'merge', body: { spec: { hard: { [SESSION_COUNT]: null } } } });
}

function withoutQuotas(error: unknown): never {
  if (!isNotFound(error)) throw error;
  throw new Failure(
    'this cluster has no ResourceQuotas, so nothing would hold the limit; nothing was changed',
    'The local stand-in has none; a cluster has, and so has `tiny up --engine kubernetes`.',
  );
}

/** How the quota and the setting differ, in words that say what to do; `undefined` where they agree, or nobody may look. */
export async function quotaDiffers(app: App, setting: string | undefined): Promise<string | undefined> {
  const { client, namespace } = await app.cluster();
  const live = await client.get(QUOTAS, { namespace, name: 'tiny' }).catch((error: unknown) => {
    if (isForbidden(error) || isNotFound(error)) return 'unknown' as const;
    throw error;
  });
  if (live === 'unknown') return undefined;
  const holds = live?.spec?.hard?.[SESSION_COUNT];
  if (holds === setting) return undefined;
  const said = setting === undefined ? 'is not set' : `says ${setting}`;
  const next = setting === undefined ? `unset ${MAX_SESSIONS}` : `set ${MAX_SESSIONS}=${setting}`;
  return `${MAX_SESSIONS} ${said}, and what holds is ${holds ?? 'no limit'} (ResourceQuota "tiny"); to have them agree: ${app.program} settings ${next}`;
}
