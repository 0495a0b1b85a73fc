/** The way in: who asks, as whom, whether they may; what admission makes of a write; and what the audit log is told. */
import type { IncomingMessage } from 'node:http';
import { LABEL, type Person } from '../../lib/api/meta.ts';
import type { AdmissionRequest } from '../admission/request.ts';
import { admit } from '../admission/stamp.ts';
import { auditEvent } from '../auth/audit.ts';
import { authenticate } from '../auth/authenticate.ts';
import { type Impersonation, impersonate } from '../auth/impersonate.ts';
import { authorize, forbidden } from '../auth/rbac.ts';
import type { Attributes, Rbac, Stored } from '../types.ts';
import type { Answer, Api, Call } from './call.ts';
import { unauthorized } from './errors.ts';
import type { Target } from './path.ts';

/** A request, and what becomes known of it on its way. */
export interface Trail {
  request: IncomingMessage;
  target: Target;
  received: Date;
  /** Who sent it. */
  user?: Person;
  impersonation?: Impersonation | undefined;
  body?: unknown;
}

export const rbacOf =
  ({ store }: Api): Rbac =>
  (plural, namespace) =>
    store.list(`${plural}.rbac.authorization.k8s.io`, namespace);

/** Throws 403 where the request is not allowed. */
export function check(api: Api, attributes: Attributes): void {
  if (!authorize(attributes, rbacOf(api))) throw forbidden(attributes);
}

/** Lets the request in, as whom it acts, or throws 401 or 403. What was found out goes into `trail`. */
export function enter(api: Api, trail: Trail): Attributes {
  const { headers, headersDistinct } = trail.request;
  const { query: _, ...target } = trail.target;
  trail.user = authenticate(headers.authorization, {
    ...{ people: api.people, keys: api.keys, now: api.now(), path: target.path },
    exists: (plural, { namespace, name, uid }) => api.store.get(plural, namespace, name)?.metadata.uid === uid,
  });
  if (!trail.user) throw unauthorized('Unauthorized');
  const asked = { ...target, user: trail.user };
  trail.impersonation = impersonate(headersDistinct, asked, (each) => authorize(each, rbacOf(api)));
  const attributes = { ...asked, user: trail.impersonation?.user ?? trail.user };
  check(api, attributes);
  return attributes;
}

/** The object as it may be stored in place of `old`, or may be deleted. Throws a refusal. */
export function admitted(
  { api, resource, attributes }: Call,
  operation: AdmissionRequest['operation'],
  { object, old }: { object: Stored; old?: Stored | undefined },
): Stored {
  const podSession = (namespace: string, name: string, uid: string) => {
    const { labels = {}, uid: is } = api.store.get('pods', namespace, name)?.metadata ?? {};
    const session = is === uid && labels[LABEL.session];
    return session ? { name: session, uid: labels[LABEL.sessionUid] ?? '' } : undefined;
  };
  const { user, subresource } = attributes;
  return admit({ operation, resource, subresource, object, old, user, podSession });
}

/** Writes what came of a request for a resource into the audit log. */
export function audited(api: Api, trail: Trail, { code, body }: Answer): void {
  const { request, target, user, impersonation, received } = trail;
  if (!user || target.resource === '') return;
  const event = auditEvent({
    ...{ attributes: target, user, received, answered: api.now(), code, response: body, request: trail.body },
    impersonated: impersonation?.user,
    constraint: impersonation?.constraint,
    requestURI: String(request.url),
    sourceIPs: [request.socket.remoteAddress ?? ''],
    userAgent: request.headers['user-agent'],
  });
  api.audit.write(event);
}
