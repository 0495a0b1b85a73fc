/**
 * The roles by which functions act as people on clusters before 1.36. The verb `impersonate` lets everything be done as
 * whom it names, so each user, group, uid and extra value is named, and nothing else: exactly what
 * `impersonationHeaders` would send. Pure.
 */
import type { KubeObject, Person } from '../api/meta.ts';
import { asImpersonated, impersonationHeaders } from '../identity/impersonation-headers.ts';
import { serviceAccountOf } from '../identity/person.ts';

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames: string[];
  verbs: ['impersonate'];
}

const SYSTEM = 'tiny-system';
/** The functions that act in people's names. */
const FUNCTIONS = ['session', 'question', 'slack', 'github'];
/** What each of these roles is called. */
export const IMPERSONATE = 'tiny-impersonate';

const rbac = (kind: string, namespace: string | undefined, rest: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: IMPERSONATE, ...(namespace && { namespace }), labels: { 'app.kubernetes.io/part-of': 'tiny' } },
  ...rest,
});

/** A role and its binding to the functions; in `namespace`, or for the whole cluster. */
function granted(rules: Rule[], namespace?: string): KubeObject[] {
  const kind = namespace ? 'Role' : 'ClusterRole';
  return [
    rbac(kind, namespace, { rules }),
    rbac(`${kind}Binding`, namespace, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: IMPERSONATE },
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

/** Of users: what their headers say. */
function userRules(people: readonly Person[]): Rule[] {
  const users = people.map(asImpersonated);
  const groups = users.flatMap((person) => person.groups ?? []);
  const extras = users.flatMap(({ extra = {} }) => Object.entries(extra));
  return [
    ...rule('', 'users', users.map(nameOf)),
    ...rule('', 'groups', groups),
    ...rule(AUTHENTICATION, 'uids', users.flatMap(uidOf)),
    ...[...Map.groupBy(extras, ([key]) => key)].flatMap(([key, all]) =>
      rule(AUTHENTICATION, `userextras/${key}`, all.flatMap(valuesOf)),
    ),
  ];
}

const nameOf = ({ username }: Person): string => username;
const uidOf = ({ uid }: Person): string[] => (uid ? [uid] : []);
const valuesOf = ([, values]: [string, string[]]): string[] => values;

/**
 * Lets the functions act as `people`, by the verb `impersonate`. Service accounts are granted in their own namespace.
 *
 * @throws ImpersonationRefused for an identity of the cluster, or one that no header can carry.
 */
export function makeImpersonation(people: readonly Person[]): KubeObject[] {
  for (const person of people) impersonationHeaders(person);
  const rules = userRules(people.filter(({ username }) => !serviceAccountOf(username)));
  const accounts = people.flatMap(({ username }) => serviceAccountOf(username) ?? []);
  const inNamespaces = [...Map.groupBy(accounts, ({ namespace }) => namespace)].flatMap(([namespace, all]) => {
    const names = all.map(({ name }) => name);
    return granted(rule('', 'serviceaccounts', names), namespace);
  });
  return [...(rules.length ? granted(rules) : []), ...inNamespaces];
}
