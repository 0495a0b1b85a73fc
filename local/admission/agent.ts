/**
 * What an agent's token is good for: the status of the Session whose pod it is bound to, and Questions in that
 * Session's name. RBAC gives the service account the verbs; this ties them to one Session.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Condition } from '../../lib/api/meta.ts';
import { serviceAccountOf } from '../../lib/identity/person.ts';
import { CONDITION } from '../../lib/session/status.ts';
import type { Stored } from '../types.ts';
import { type AdmissionRequest, type PodSession, refuse } from './request.ts';

/** The service account of the agents of a project. */
const AGENT = 'tiny-agent';
/** The conditions that an agent tells; all others are the functions'. */
const AGENTS_CONDITIONS: ReadonlySet<string> = new Set([CONDITION.ready, CONDITION.waiting, CONDITION.finished]);

/** What follows a Session's name in the name of its Questions, so that no agent takes the name of another's. */
const HASH = /^[0-9a-f]{10}$/;

/** Throws 403 where somebody else asks what agents ask: whoever answers reads that the Session asks. */
export function holdOthers(request: AdmissionRequest): void {
  const { operation, resource, subresource, object, user } = request;
  if (operation !== 'CREATE' || resource.plural !== 'questions' || resource.group !== 'tiny.dev' || subresource) return;
  const { kind } = (object.spec ?? {}) as { kind?: string };
  if (kind === 'Ask') return;
  const account = serviceAccountOf(user.username);
  if (account?.name === AGENT && account.namespace === object.metadata.namespace) return;
  throw refuse(
    request,
    'only an agent asks for a permission or for a Session of its own: make the Session yourself (`tiny new`), or ask with a Question of kind Ask',
  );
}

/** Throws 403 where the request comes from an agent and is not its to make. */
export function holdAgent(request: AdmissionRequest): void {
  const account = serviceAccountOf(request.user.username);
  const { plural, group } = request.resource;
  if (account?.name !== AGENT || group !== 'tiny.dev') return;
  const session = sessionOf(request, account.namespace);
  if (plural === 'sessions') holdToStatus(request, session);
  if (plural === 'questions') holdToAsking(request, session);
}

/** The Session whose pod the token is bound to. */
function sessionOf(request: AdmissionRequest, namespace: string): PodSession {
  const { extra = {} } = request.user;
  const [pod = ''] = extra['authentication.kubernetes.io/pod-name'] ?? [];
  const [uid = ''] = extra['authentication.kubernetes.io/pod-uid'] ?? [];
  const session = pod ? request.podSession(namespace, pod, uid) : undefined;
  if (session && request.object.metadata.namespace === namespace) return session;
  throw refuse(
    request,
    `this token of ${AGENT} is not bound to the pod of a Session; the tools of a session's pod have one`,
  );
}

function holdToStatus(request: AdmissionRequest, session: PodSession): void {
  const { subresource, object, old } = request;
  if (subresource !== 'status') {
    throw refuse(
      request,
      'an agent writes only the status of its Session; to start another, ask with a Question of kind Spawn',
    );
  }
  const { name, uid } = object.metadata;
  if (name !== session.name || (session.uid && uid !== session.uid)) {
    throw refuse(request, `the agent of Session "${session.name}" reports on its own Session only`);
  }
  const foreign = notTheAgents(object);
  if (isDeepStrictEqual(foreign, old ? notTheAgents(old) : [])) return;
  const types = [...AGENTS_CONDITIONS].join(', ');
  throw refuse(request, `an agent sets the conditions ${types}; all others are the functions' to set`);
}

function notTheAgents({ status }: Stored): Condition[] {
  const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] };
  const others = conditions.filter(({ type }) => !AGENTS_CONDITIONS.has(type));
  return others.toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

function holdToAsking(request: AdmissionRequest, session: PodSession): void {
  const { operation, object } = request;
  if (operation !== 'CREATE') throw refuse(request, 'an agent asks, and a person answers: `tiny answer`');
  const { session: asked, answer } = (object.spec ?? {}) as { session?: string; answer?: unknown };
  if (answer !== undefined) throw refuse(request, 'a Question is asked without spec.answer: a person answers it');
  if (asked !== session.name) {
    throw refuse(
      request,
      `the agent of Session "${session.name}" asks in that Session's name only: set spec.session to it`,
    );
  }
  const own = object.metadata.name.startsWith(`${session.name}-`);
  if (own && HASH.test(object.metadata.name.slice(session.name.length + 1))) return;
  throw refuse(
    request,
    "an agent's Question is named after its Session: SESSION-HASH, the hash in ten hexadecimal digits",
  );
}
