/**
 * Role-based access control as Kubernetes decides it: bindings lead to rules, one rule that matches is enough, and
 * nothing denies. Aggregated cluster roles are put together when they are read, so that no controller has to.
 */
import type { Person } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { resourceName } from '../../lib/kube/path.ts';
import type { Attributes, Rbac, Stored } from '../types.ts';

/** `rbac/v1` PolicyRule. */
export interface Rule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

type Labels = Record<string, string>;

/** Whether RBAC lets this request through. */
export const authorize = (attributes: Attributes, rbac: Rbac): boolean =>
  attributes.user.groups?.includes('system:masters') ||
  rulesFor(attributes.user, attributes.namespace, rbac).some((rule) => allows(rule, attributes));

/** Every rule that applies to this user in this namespace; `''` is the cluster alone. */
export function rulesFor(user: Person, namespace: string, rbac: Rbac): Rule[] {
  const bindings = [...rbac('clusterrolebindings'), ...(namespace ? rbac('rolebindings', namespace) : [])];
  return bindings.filter((binding) => binds(binding, user)).flatMap((binding) => rulesOf(binding, rbac));
}

const binds = ({ subjects = [], metadata: { namespace = '' } }: Stored, user: Person): boolean =>
  (subjects as Subject[]).some((subject) => applies({ namespace, ...subject }, user));

function applies({ kind, name, namespace }: Subject, { username, groups }: Person): boolean {
  if (kind === 'User') return name === username;
  if (kind === 'Group') return groups?.includes(name) ?? false;
  return namespace !== '' && username === `system:serviceaccount:${namespace}:${name}`;
}

function rulesOf({ roleRef, metadata: { namespace } }: Stored, rbac: Rbac): Rule[] {
  const { kind, name } = roleRef as { kind: string; name: string };
  const roles = kind === 'ClusterRole' ? rbac('clusterroles') : rbac('roles', namespace);
  const role = roles.find(({ metadata }) => metadata.name === name);
  return role ? aggregated(role, roles, new Set()) : [];
}

function aggregated(role: Stored, roles: readonly Stored[], seen: Set<Stored>): Rule[] {
  const { clusterRoleSelectors } = (role.aggregationRule ?? {}) as { clusterRoleSelectors?: { matchLabels: Labels }[] };
  if (!clusterRoleSelectors) return (role.rules ?? []) as Rule[];
  seen.add(role);
  const chosen = roles.filter(({ metadata: { labels = {} } }) =>
    clusterRoleSelectors.some(({ matchLabels }) => Object.entries(matchLabels).every(([k, v]) => labels[k] === v)),
  );
  return chosen.flatMap((each) => (seen.has(each) ? [] : aggregated(each, roles, seen)));
}

function allows(rule: Rule, { verb, group, resource, subresource, name, path }: Attributes): boolean {
  if (!matches(rule.verbs, verb)) return false;
  if (!resource) return (rule.nonResourceURLs ?? []).some((url) => matchesUrl(url, path));
  const named = subresource ? [`${resource}/${subresource}`, `*/${subresource}`] : [resource];
  return (
    matches(rule.apiGroups, group) &&
    named.some((each) => matches(rule.resources, each)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
}

const matches = (values: string[] | undefined, value: string): boolean =>
  values?.some((each) => each === '*' || each === value) ?? false;

const matchesUrl = (rule: string, path: string): boolean =>
  rule === path || (rule.endsWith('*') && path.startsWith(rule.slice(0, -1)));

/** The refusal of a request, worded as the API server words it. */
export function forbidden(attributes: Attributes, reason = ''): ApiError {
  const { group, resource, name } = attributes;
  const object = [resourceName({ group, plural: resource }), name && `"${name}"`].filter(Boolean).join(' ');
  const what = resource ? `${object} is forbidden` : 'forbidden';
  return new ApiError(403, {
    reason: 'Forbidden',
    message: [what, cannot(attributes), reason].filter(Boolean).join(': '),
    details: { ...(name && { name }), ...(group && { group }), ...(resource && { kind: resource }) },
  });
}

function cannot({ user, verb, group, resource, subresource, namespace, path }: Attributes): string {
  if (!resource) return `User "${user.username}" cannot ${verb} path "${path}"`;
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  return `User "${user.username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
}
