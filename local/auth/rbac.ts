/**
 * Role-based access control as Kubernetes decides it: bindings lead to rules, one rule that matches is enough, and
 * nothing denies. Aggregated cluster roles are put together when they are read, so that no controller has to.
 */
import type { Person } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Attributes, Decision, RbacObjects, Stored } from '../types.ts';

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

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** What one binding gives: its rules and the words for the audit log, or why it gives nothing. */
interface Grant {
  rules: Rule[];
  source: string;
  problem?: string;
}

/** Whether RBAC lets this request through. The reason is Kubernetes' own wording. */
export function authorize(attributes: Attributes, rbac: RbacObjects): Decision {
  if (attributes.user.groups?.includes('system:masters')) return { allowed: true, reason: '' };
  const found = [...grants(attributes.user, attributes.namespace, rbac)];
  const grant = found.find(({ rules }) => rules.some((rule) => allows(rule, attributes)));
  if (grant) return { allowed: true, reason: `RBAC: allowed by ${grant.source}` };
  const problems = [...new Set(found.flatMap(({ problem }) => problem ?? []))];
  if (problems.length === 0) return { allowed: false, reason: '' };
  return { allowed: false, reason: `rbac: RBAC: ${problems.length > 1 ? `[${problems.join(', ')}]` : problems[0]}` };
}

/** The refusal of a request, worded as the API server words it. */
export function forbidden(attributes: Attributes, reason = ''): ApiError {
  const { group, resource, name } = attributes;
  const object = [[resource, group].filter(Boolean).join('.'), name && `"${name}"`, 'is'].filter(Boolean).join(' ');
  const message = [`${resource ? `${object} ` : ''}forbidden`, sanitise(cannot(attributes)), reason].filter(Boolean);
  const details = Object.entries({ name, group, kind: resource }).filter(([, value]) => value);
  return new ApiError(403, {
    reason: 'Forbidden',
    message: message.join(': '),
    details: Object.fromEntries(details),
  });
}

function cannot({ user, verb, group, resource, subresource, namespace, path }: Attributes): string {
  if (!resource) return `User "${user.username}" cannot ${verb} path "${path}"`;
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  return `User "${user.username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
}

/** All rules that hold for a person in a namespace (`''`: everywhere). */
export function rulesFor(user: Person, namespace: string, rbac: RbacObjects): Rule[] {
  return [...grants(user, namespace, rbac)].flatMap(({ rules }) => rules);
}

const sanitise = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function* grants(user: Person, namespace: string, rbac: RbacObjects): Generator<Grant> {
  for (const binding of rbac.clusterRoleBindings()) yield* grant(binding, user, rbac);
  if (namespace) for (const binding of rbac.roleBindings(namespace)) yield* grant(binding, user, rbac);
}

function* grant(binding: Stored, user: Person, rbac: RbacObjects): Generator<Grant> {
  const { namespace = '', name } = binding.metadata;
  const subject = ((binding.subjects ?? []) as Subject[]).find((each) => applies(each, user, namespace));
  if (!subject) return;
  const { kind, name: role } = binding.roleRef as { kind: string; name: string };
  const roles = kind === 'ClusterRole' ? rbac.clusterRoles() : rbac.roles(namespace);
  const found = roles.find(({ metadata }) => metadata.name === role);
  const bound = [name, namespace].filter(Boolean).join('/');
  const source = `${binding.kind} "${bound}" of ${kind} "${role}" to ${describe(subject, namespace)}`;
  if (found) yield { rules: rulesOf(found, roles, new Set()), source };
  else yield { rules: [], source, problem: `${kind.toLowerCase()}.rbac.authorization.k8s.io "${role}" not found` };
}

const describe = ({ kind, name, namespace }: Subject, bindingNamespace: string): string =>
  `${kind} "${kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name}"`;

function applies(subject: Subject, user: Person, bindingNamespace: string): boolean {
  if (subject.kind === 'User') return subject.name === user.username;
  if (subject.kind === 'Group') return user.groups?.includes(subject.name) ?? false;
  const namespace = subject.namespace || bindingNamespace;
  return namespace !== '' && user.username === `system:serviceaccount:${namespace}:${subject.name}`;
}

function rulesOf(role: Stored, roles: readonly Stored[], seen: Set<Stored>): Rule[] {
  const aggregation = role.aggregationRule as { clusterRoleSelectors?: Selector[] } | undefined;
  if (!aggregation) return (role.rules ?? []) as Rule[];
  seen.add(role);
  const chosen = roles.filter(
    (each) => !seen.has(each) && aggregation.clusterRoleSelectors?.some((selector) => selects(selector, each)),
  );
  return chosen.flatMap((each) => rulesOf(each, roles, seen));
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, { metadata: { labels = {} } }: Stored) {
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  const matches = matchExpressions.every(({ key, operator, values = [] }) => {
    const has = operator.endsWith('In') ? values.includes(labels[key] ?? '') && key in labels : key in labels;
    return operator === 'NotIn' || operator === 'DoesNotExist' ? !has : has;
  });
  return equal && matches;
}

function allows(rule: Rule, attributes: Attributes): boolean {
  if (!matches(rule.verbs, attributes.verb)) return false;
  if (!attributes.resource) return (rule.nonResourceURLs ?? []).some((url) => matchesUrl(url, attributes.path));
  return (
    matches(rule.apiGroups, attributes.group) &&
    (rule.resources ?? []).some((resource) => matchesResource(resource, attributes)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(attributes.name))
  );
}

const matches = (values: string[] | undefined, value: string): boolean =>
  values?.some((each) => each === '*' || each === value) ?? false;

function matchesResource(rule: string, { resource, subresource }: Attributes): boolean {
  if (rule === '*' || rule === (subresource ? `${resource}/${subresource}` : resource)) return true;
  return subresource !== '' && rule === `*/${subresource}`;
}

const matchesUrl = (rule: string, path: string): boolean =>
  rule === path || (rule.endsWith('*') && path.startsWith(rule.replace(/\*+$/, '')));
