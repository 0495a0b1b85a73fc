/** Audit events in the shape of `audit.k8s.io/v1` as rows that say who did what, and for whom. Pure. */

/** One request. `impersonatedUser` is the person for whom `user` acted. */
export interface AuditRow {
  verb: string;
  resource: string;
  namespace?: string;
  name?: string;
  user: string;
  impersonatedUser?: string;
  /** RFC 3339. */
  at: string;
  code: number;
  /** It was asked what would happen, and nothing did. */
  dryRun?: true;
}

interface AuditEvent {
  stage?: string;
  verb?: string;
  user?: { username?: string };
  impersonatedUser?: { username?: string };
  objectRef?: { resource?: string; subresource?: string; apiGroup?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
  requestReceivedTimestamp?: string;
  requestURI?: string;
}

/** Questions that a client asks about itself change nothing, and are no deeds. */
const NO_DEEDS = new Set([
  'selfsubjectreviews',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'subjectaccessreviews',
  'tokenreviews',
]);
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Whether the request tried to change something. */
export const isDeed = ({ verb, resource }: AuditRow): boolean =>
  WRITES.has(verb) && !NO_DEEDS.has(resource.split('.')[0] ?? '');

/** The stand-in's own programs, and those of the cluster itself; a function or a CI job is none of them. */
const MACHINERY =
  /^(standin:|system:(apiserver|kube-scheduler|kube-controller-manager|cloud-controller-manager)$|system:node:|system:serviceaccount:kube-system:)/;

/** Whether the cluster itself did it, of its own accord: no person did, and nobody for one. */
export const isMachinery = ({ user, impersonatedUser }: AuditRow): boolean =>
  impersonatedUser === undefined && MACHINERY.test(user);

function resourceOf({ resource = '', subresource, apiGroup }: NonNullable<AuditEvent['objectRef']>): string {
  return `${resource}${apiGroup ? `.${apiGroup}` : ''}${subresource ? `/${subresource}` : ''}`;
}

const dryRunOf = ({ requestURI = '' }: AuditEvent): { dryRun?: true } =>
  /[?&]dryRun=All(&|$)/.test(requestURI) ? { dryRun: true } : {};

/** The event as a row; `undefined` for one of another stage, or about no resource. */
function toRow(event: AuditEvent): AuditRow | undefined {
  const { stage = 'ResponseComplete', objectRef, user, impersonatedUser, responseStatus, verb } = event;
  if (stage !== 'ResponseComplete' || !objectRef?.resource || !verb) return undefined;
  return {
    verb,
    resource: resourceOf(objectRef),
    ...(objectRef.namespace && { namespace: objectRef.namespace }),
    ...(objectRef.name && { name: objectRef.name }),
    user: user?.username ?? '',
    ...(impersonatedUser?.username && { impersonatedUser: impersonatedUser.username }),
    at: event.requestReceivedTimestamp ?? '',
    code: responseStatus?.code ?? 0,
    ...dryRunOf(event),
  };
}

function parseLine(line: string): AuditEvent | undefined {
  try {
    return JSON.parse(line) as AuditEvent;
  } catch {
    return undefined;
  }
}

/** The rows of a log of JSON lines, oldest first, and how many lines were torn (a kill tears the last one). */
export function parseAudit(text: string): { rows: AuditRow[]; torn: number } {
  const events = text.split('\n').filter(Boolean).map(parseLine);
  const rows = events.flatMap((event) => (event && toRow(event)) ?? []);
  return { rows: rows.sort((a, b) => (a.at < b.at ? -1 : 1)), torn: events.filter((event) => !event).length };
}
