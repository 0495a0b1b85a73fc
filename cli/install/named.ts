/**
 * Whom functions may act as by the classic verb. What an earlier installation granted and this one does not name is
 * emptied: a name that is left out is meant to be left out, and on a newer cluster the verb would undo the constrained one.
 */
import type { KubeObject, Person } from '../../lib/api/meta.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { IMPERSONATE, makeImpersonation } from '../../lib/install/impersonation.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import type { Client } from '../../lib/kube/types.ts';

export interface Named {
  impersonate?: readonly string[];
  impersonateGroup?: readonly string[];
  /** The same, with all that their requests carry: uid, groups and extra attributes. */
  people?: readonly Person[];
}

/** Everybody who is named, each with what their requests carry. */
export const peopleOf = ({ impersonate = [], impersonateGroup = [], people = [] }: Named): Person[] => [
  ...impersonate.map((username) => ({ username, groups: [...impersonateGroup] })),
  ...people,
];

const role = (kind: string, namespace?: string): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: IMPERSONATE, ...(namespace && { namespace }) },
});

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace ?? ''}`;

/** Where roles of that name are. Whoever may not list them will not be let write them either, and is told so. */
async function granted(client: Client): Promise<KubeObject[]> {
  const lists = ['ClusterRole', 'Role'].map(async (kind) => {
    const options = { fieldSelector: `metadata.name=${IMPERSONATE}` };
    const { items } = await client.list(resourceTypeOf(role(kind)), options).catch((error: unknown) => {
      if (isForbidden(error)) return { items: [] };
      throw error;
    });
    return items
      .filter(({ metadata }) => metadata.name === IMPERSONATE)
      .map(({ metadata }) => role(kind, metadata.namespace));
  });
  return (await Promise.all(lists)).flat();
}

/** The roles and bindings for everybody who is named, and without rules those of an earlier installation. */
export async function namedPeople(client: Client, named: Named): Promise<KubeObject[]> {
  const objects = makeImpersonation(peopleOf(named));
  const kept = new Set(objects.map(keyOf));
  const labels = { 'app.kubernetes.io/part-of': 'tiny' };
  const emptied = (await granted(client))
    .filter((one) => !kept.has(keyOf(one)))
    .map((one) => ({ ...one, metadata: { ...one.metadata, labels }, rules: [] }));
  return [...objects, ...emptied];
}
