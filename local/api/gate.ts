/** The way in: who asks, as whom, whether they may; and what the audit log is told of it. */
import type { IncomingMessage } from 'node:http';
import type { Person } from '../../lib/api/meta.ts';
import { type AuditLog, auditEvent } from '../auth/audit.ts';
import { authenticate } from '../auth/authenticate.ts';
import { type Impersonation, impersonate } from '../auth/impersonate.ts';
import { authorize, forbidden } from '../auth/rbac.ts';
import type { TokenKeys } from '../auth/tokens.ts';
import { type Attributes, type Decision, type RbacObjects, StatusError } from '../types.ts';
import type { Target } from './path.ts';
import type { Store } from './store.ts';

export interface Gate {
  store: Store;
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
  const of = (plural: string) => `${plural}.rbac.authorization.k8s.io`;
  return {
    clusterRoles: () => store.list(of('clusterroles')),
    clusterRoleBindings: () => store.list(of('clusterrolebindings')),
    roles: (namespace) => store.list(of('roles'), namespace),
    roleBindings: (namespace) => store.list(of('rolebindings'), namespace),
  };
}

/** Lets the request in, as whom it acts, or throws 401 or 403. What was found out goes into `trail`. */
export function enter(gate: Gate, request: IncomingMessage, trail: Trail): Attributes {
  const user = whoAsks(gate, request, trail.target.path);
  trail.user = user;
  const { query: _, ...target } = trail.target;
  const may = (attributes: Attributes) => authorize(attributes, rbacOf(gate.store));
  const asked = { ...target, user };
  trail.impersonation = impersonate(headerPairs(request), asked, (attributes) => may(attributes).allowed);
  const attributes = { ...asked, user: trail.impersonation.user };
  trail.decision = may(attributes);
  if (!trail.decision.allowed) throw forbidden(attributes, trail.decision.reason);
  return attributes;
}

function whoAsks({ store, people, keys, now }: Gate, request: IncomingMessage, path: string): Person {
  const is = (resource: string) => (namespace: string, name: string, uid: string) =>
    store.get(resource, namespace, name)?.metadata.uid === uid;
  const known = { people, keys, now: now(), path, exists: is('serviceaccounts'), pod: is('pods') };
  const user = authenticate(request.headers.authorization, known);
  if (user) return user;
  throw new StatusError(401, { reason: 'Unauthorized', message: 'Unauthorized' });
}

function headerPairs({ rawHeaders }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** Writes what came of a request about a resource into the audit log. */
export function audited(
  gate: Gate,
  request: IncomingMessage,
  { trail, code, body }: { trail: Trail; code: number; body?: unknown },
): void {
  const { target, user, impersonation, decision, received, requestObject } = trail;
  if (!user || target.resource === '') return;
  const event = auditEvent({
    attributes: { ...target, user: impersonation?.user ?? user },
    user,
    ...(impersonation?.impersonated && { impersonated: impersonation.impersonated }),
    ...(impersonation?.constraint && { constraint: impersonation.constraint }),
    requestURI: request.url ?? '',
    sourceIPs: [request.socket.remoteAddress ?? ''],
    ...(request.headers['user-agent'] && { userAgent: request.headers['user-agent'] }),
    received,
    answered: gate.now(),
    ...(decision && { decision }),
    code,
    ...(isWrite(target.verb) && { responseObject: body, requestObject }),
  });
  gate.audit.write(event);
}

const isWrite = (verb: string): boolean => !['get', 'list', 'watch'].includes(verb);
