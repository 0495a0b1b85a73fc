/** The way in: who asks, as whom, whether they may; and what the audit log is told of it. */
import type { IncomingMessage } from 'node:http';
import { LABEL, type Person } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { admit } from '../admission/stamp.ts';
import { type AuditLog, auditEvent } from '../auth/audit.ts';
import { authenticate } from '../auth/authenticate.ts';
import { type Impersonation, impersonate } from '../auth/impersonate.ts';
import { authorize, forbidden } from '../auth/rbac.ts';
import type { TokenKeys } from '../auth/tokens.ts';
import type { Attributes, Decision, RbacObjects } from '../types.ts';
import type { Call } from './call.ts';
import type { Target } from './path.ts';
import type { Resource } from './resources.ts';
import type { Store } from './store.ts';

export interface Gate {
  store: Store;
  /** People by their bearer token. */
  people: ReadonlyMap<string, Person>;
  keys: TokenKeys;
  audit: AuditLog;
  now: () => Date;
}

/** What becomes known of a request on its way, for the audit log. */
export interface Trail {
  received: Date;
  target: Target;
  user?: Person;
  impersonation?: Impersonation;
  decision?: Decision;
  requestObject?: unknown;
}

export function rbacOf(store: Store): RbacObjects {
  const of = (plural: string, namespace?: string) => store.list(`${plural}.rbac.authorization.k8s.io`, namespace);
  return {
    clusterRoles: () => of('clusterroles'),
    clusterRoleBindings: () => of('clusterrolebindings'),
    roles: (namespace) => of('roles', namespace),
    roleBindings: (namespace) => of('rolebindings', namespace),
  };
}

/** Throws 403 where the request is not allowed. */
export function check(gate: Gate, attributes: Attributes): void {
  const { allowed, reason } = authorize(attributes, rbacOf(gate.store));
  if (!allowed) throw forbidden(attributes, reason);
}

/** Lets the request in, as whom it acts, or throws 401 or 403. What was found out goes into `trail`. */
export function enter(gate: Gate, request: IncomingMessage, trail: Trail): Attributes {
  const { query: _, ...target } = trail.target;
  trail.user = whoAsks(gate, request, target.path);
  const rbac = rbacOf(gate.store);
  const asked = { ...target, user: trail.user };
  trail.impersonation = impersonate(headerPairs(request), asked, (attributes) => authorize(attributes, rbac).allowed);
  const attributes = { ...asked, user: trail.impersonation.user };
  trail.decision = authorize(attributes, rbac);
  if (!trail.decision.allowed) throw forbidden(attributes, trail.decision.reason);
  return attributes;
}

function whoAsks({ store, people, keys, now }: Gate, request: IncomingMessage, path: string): Person {
  const is = (resource: string) => (namespace: string, name: string, uid: string) =>
    store.get(resource, namespace, name)?.metadata.uid === uid;
  const known = { people, keys, now: now(), path, exists: is('serviceaccounts'), pod: is('pods') };
  const user = authenticate(request.headers.authorization, known);
  if (user) return user;
  throw new ApiError(401, { reason: 'Unauthorized', message: 'Unauthorized' });
}

function headerPairs({ rawHeaders }: IncomingMessage): [string, string][] {
  const names = rawHeaders.filter((_, at) => at % 2 === 0);
  return names.map((name, at) => [name, rawHeaders[at * 2 + 1] ?? '']);
}

/** What a write has to pass before it is stored. */
export function admission(
  { store }: Gate,
  resource: Resource,
  attributes: Attributes,
): Pick<Call, 'admit' | 'admitDeletion'> {
  const podSession = (namespace: string, name: string, uid: string) => {
    const { labels = {}, uid: is } = store.get('pods', namespace, name)?.metadata ?? {};
    const session = is === uid && labels[LABEL.session];
    return session ? { name: session, uid: labels[LABEL.sessionUid] ?? '' } : undefined;
  };
  const common = { resource, subresource: attributes.subresource, user: attributes.user, podSession };
  return {
    admit: (object, old) => admit({ ...common, operation: old ? 'UPDATE' : 'CREATE', object, old }),
    admitDeletion: (object) => void admit({ ...common, operation: 'DELETE', object, old: object }),
  };
}

/** Writes what came of a request about a resource into the audit log. */
export function audited(
  gate: Gate,
  request: IncomingMessage,
  done: { trail: Trail; code: number; body?: unknown },
): void {
  const { target, user, impersonation, decision, received, requestObject } = done.trail;
  if (!user || target.resource === '') return;
  const isRead = done.code < 400 && ['get', 'list', 'watch'].includes(target.verb);
  const { remoteAddress: ip = '' } = request.socket;
  const { 'user-agent': userAgent = '' } = request.headers;
  const event = auditEvent({
    ...{ ...impersonation, user, userAgent, received, code: done.code },
    attributes: { ...target, user: impersonation?.user ?? user },
    requestURI: String(request.url),
    sourceIPs: [ip],
    answered: gate.now(),
    ...(decision && { decision }),
    ...(!isRead && { responseObject: done.body, requestObject }),
  });
  gate.audit.write(event);
}
