/**
 * Finds the kinds that were named for `--apply-kinds` in the cluster; what names none, or may never be one, is refused. As
 * with named people, what an earlier installation allowed and this one does not name is allowed no more.
 */
import type { KubeObject } from '../../lib/api/meta.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { makeApplyKinds } from '../../lib/install/apply-kinds.ts';
import { discover } from '../../lib/kube/discover.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import type { Client, ResourceType } from '../../lib/kube/types.ts';
import { Failure, UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';

interface Groups {
  groups?: { name: string; preferredVersion: { groupVersion: string } }[];
}

/** Why a kind is never applied for an agent. */
function never(kind: string, group: string): string | undefined {
  if (group === 'tiny.dev') return "is tiny's own, and never applied for an agent";
  return kind === 'Secret' && !group ? 'is never applied for an agent: a Question is no place for a secret' : undefined;
}

async function find(client: Client, name: string): Promise<ResourceType> {
  const [kind = '', ...rest] = name.split('.');
  const group = rest.join('.');
  const why = never(kind, group);
  if (why) throw new UsageError(`--apply-kinds: ${safeLine(name)} ${why}`);
  const { groups = [] } = group ? await client.request<Groups>('GET', '/apis') : {};
  const apiVersion = group ? groups.find((one) => one.name === group)?.preferredVersion.groupVersion : 'v1';
  const type = apiVersion && (await discover(client, { apiVersion, kind }));
  if (!type)
    throw new Failure(
      `--apply-kinds: the cluster serves no kind "${safeLine(name)}"`,
      'Write it as Kind or Kind.group: ConfigMap, Deployment.apps.',
    );
  if (type.namespaced) return type;
  throw new UsageError(
    `--apply-kinds: ${safeLine(name)} is no kind of a namespace, and only those are applied for agents`,
  );
}

/** Whether kinds are allowed now. Whoever may not look will not be let write either, and is told so. */
async function isAllowing(client: Client): Promise<boolean> {
  const role = makeApplyKinds([]);
  const live = await client.get(resourceTypeOf(role), role.metadata).catch((error: unknown) => {
    if (isForbidden(error)) return undefined;
    throw error;
  });
  return live !== undefined;
}

/** The role that allows these kinds, and no others; none where none is named, nor was. */
export async function applyKinds(client: Client, names: readonly string[] = []): Promise<KubeObject[]> {
  const types: ResourceType[] = [];
  for (const name of names) types.push(await find(client, name));
  return types.length || (await isAllowing(client)) ? [makeApplyKinds(types)] : [];
}
