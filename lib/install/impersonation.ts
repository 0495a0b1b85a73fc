/**
 * The roles by which functions act as people on clusters before 1.36. The verb `impersonate` lets everything be done as
 * whom it names, so each user, group, uid and extra value is named, and nothing else: exactly what
 * `impersonationHeaders` would send. Pure.
 */
import type { KubeObject, Person } from '../api/meta.ts';
import { impersonationHeaders } from '../identity/impersonation-headers.ts';
import { serviceAccountOf } from '../identity/person.ts';

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames: string[];
  verbs: ['impersonate'];
}

const SYSTEM = 'tiny-system';
const FUNCTIONS = ['session', 'question'];
const NAME = 'tiny-impersonate';

const rbac = (kind: string, namespace: string | undefined, rest: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: NAME, ...(namespace && { namespace }), labels: { 'app.kubernetes.io/part-of': 'tiny' } },
  ...rest,
});

/** A role and its binding to the functions; in `namespace`, or for the whole cluster. */
function granted(rules: Rule[], namespace?: string): KubeObject[] {
  const kind = namespace ? 'Role' : 'ClusterRole';
  return [
    rbac(kind, namespace, { rules }),
    rbac(`${kind}Binding`, namespace, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: NAME },
      subjects: FUNCTIONS.map((name) => ({ kind: 'ServiceAccount', name, namespace: SYSTEM })),
    }),
  ];
}

const rule = (apiGroup: string, resource: string, names: Iterable<string>): Rule[] => {
  const resourceNames = [...new Set(names)].sort();
  if (resourceNames.length === 0) return [];
  return [{ apiGroups: [apiGroup], resources: [resource], resourceNames, verbs: ['impersonate'] }];
};

const AUTHENTICATION = 'authentication.k8s.io';

/**
 * Lets the functions act as `people`, by the verb `impersonate`. Service accounts are granted in their own namespace.
 *
 * @throws ImpersonationRefused for an identity of the cluster, or one that no header can carry.
 */
export function makeImpersonation(people: readonly Person[]): KubeObject[] {
  for (const person of people) impersonationHeaders(person);
  const users = people.filter(({ username }) => !serviceAccountOf(username));
  const accounts = Map.groupBy(
    people.flatMap(({ username }) => serviceAccountOf(username) ?? []),
    ({ namespace }) => namespace,
  );
  const groups = users.flatMap((person) => person.groups ?? []).filter((group) => !group.startsWith('system:'));
  const extras = users.flatMap(({ extra = {} }) => Object.entries(extra));
  const rules = [
    ...rule(
      '',
      'users',
      users.map(({ username }) => username),
    ),
    ...rule('', 'groups', groups),
    ...rule(
      AUTHENTICATION,
      'uids',
      users.flatMap(({ uid }) => uid || []),
    ),
    ...[...Map.groupBy(extras, ([key]) => key)]
      .filter(([key]) => !key.startsWith('authentication.kubernetes.io/'))
      .flatMap(([key, all]) =>
        rule(
          AUTHENTICATION,
          `userextras/${key}`,
          all.flatMap(([, values]) => values),
        ),
      ),
  ];
  const inNamespaces = [...accounts].flatMap(([namespace, all]) =>
    granted(
      rule(
        '',
        'serviceaccounts',
        all.map(({ name }) => name),
      ),
      namespace,
    ),
  );
  return [...(rules.length ? granted(rules) : []), ...inNamespaces];
}
