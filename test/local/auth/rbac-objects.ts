import type { Rule } from '../../../local/auth/rbac.ts';
import type { RbacObjects, Stored } from '../../../local/types.ts';

export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

interface Given {
  rules: Rule[];
  subjects: Subject[];
  namespace?: string;
}

const NAME = 'r';

const role = ({ rules, namespace }: Given): Stored => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: namespace ? 'Role' : 'ClusterRole',
  metadata: { name: NAME, ...(namespace && { namespace }) },
  rules,
});

const binding = ({ subjects, namespace }: Given): Stored => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
  metadata: { name: `${NAME}b`, ...(namespace && { namespace }) },
  subjects,
  roleRef: { kind: namespace ? 'Role' : 'ClusterRole', name: NAME },
});

/** A role and its binding for the cluster, and perhaps one for a namespace. */
export function granted(cluster: Given | undefined, local?: Given & { namespace: string }): RbacObjects {
  const of = (namespace: string) => (local?.namespace === namespace ? local : undefined);
  return {
    clusterRoles: () => (cluster ? [role(cluster)] : []),
    clusterRoleBindings: () => (cluster ? [binding(cluster)] : []),
    roles: (namespace) => [of(namespace) ?? []].flat().map(role),
    roleBindings: (namespace) => [of(namespace) ?? []].flat().map(binding),
  };
}
