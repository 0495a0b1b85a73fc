import type { Rule } from '../../../local/auth/rbac.ts';
import type { Rbac, Stored } from '../../../local/types.ts';

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
export function granted(cluster: Given | undefined, local?: Given & { namespace: string }): Rbac {
  const inCluster = cluster ? [cluster] : [];
  return (plural, namespace) => {
    const given = plural.startsWith('cluster') ? inCluster : local?.namespace === namespace && local ? [local] : [];
    return given.map(plural.endsWith('bindings') ? binding : role);
  };
}
