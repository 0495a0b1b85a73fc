/**
 * The audit log in the shape of `audit.k8s.io/v1`: who did what, as whom, and what came of it. A file of JSON lines,
 * one write a line, so that a kill tears at most the last; the oldest goes when the log is full.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import type { Person } from '../../lib/api/meta.ts';
import type { Attributes, Decision } from '../types.ts';

/** What is known of a request once it is answered. */
export interface Audited {
  attributes: Attributes;
  /** Who sent it. */
  user: Person;
  impersonated?: Person;
  constraint?: string;
  requestURI: string;
  sourceIPs: string[];
  userAgent?: string;
  received: Date;
  answered: Date;
  /** The authorizer's word; absent where it was not asked. */
  decision?: Decision;
  code: number;
  /** The answer's body: of a failure, the `Status`. */
  responseObject?: unknown;
  requestObject?: unknown;
}

interface Body {
  kind?: string;
  metadata?: { name?: string; uid?: string; resourceVersion?: string };
}

export type AuditEvent = Record<string, unknown>;

/** Bodies of these are never kept: they are, or hold, secrets. */
const SECRET = new Set(['secrets', 'tokenreviews', 'serviceaccounts/token']);

/** The event of one request; what is `undefined` is not written. Of a Secret or a token it says that, and never what. */
export function auditEvent(audited: Audited): AuditEvent {
  const { attributes, user, impersonated, constraint, decision, requestObject, responseObject } = audited;
  const whole = attributes.resource !== '' && !isSecret(attributes);
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: whole ? 'RequestResponse' : 'Metadata',
    auditID: randomUUID(),
    stage: 'ResponseComplete',
    requestURI: audited.requestURI,
    verb: attributes.verb,
    user,
    impersonatedUser: impersonated,
    authenticationMetadata: constraint && { impersonationConstraint: constraint },
    sourceIPs: audited.sourceIPs,
    userAgent: audited.userAgent,
    objectRef: attributes.resource ? objectRef(audited) : undefined,
    responseStatus: responseStatus(audited),
    ...(whole && { requestObject, responseObject }),
    requestReceivedTimestamp: micro(audited.received),
    stageTimestamp: micro(audited.answered),
    annotations: decision && annotations(decision),
  };
}

function isSecret({ group, resource, subresource }: Attributes): boolean {
  const name = subresource ? `${resource}/${subresource}` : resource;
  return SECRET.has(name) && (group === '' || group === 'authentication.k8s.io');
}

function objectRef({ attributes, responseObject, requestObject }: Audited): Record<string, string> {
  const { resource, subresource, namespace, name, group, version } = attributes;
  const made = identity(responseObject);
  const known = {
    resource,
    namespace,
    name: name || made?.name || identity(requestObject)?.name,
    uid: made?.uid,
    apiGroup: group,
    apiVersion: version,
    resourceVersion: made?.resourceVersion,
    subresource,
  };
  return Object.fromEntries(Object.entries(known).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

function identity(body: unknown): Body['metadata'] {
  const { kind, metadata } = (body ?? {}) as Body;
  return kind === 'Status' || kind?.endsWith('List') ? undefined : metadata;
}

function responseStatus({ code, responseObject }: Audited): Record<string, unknown> {
  const answer = (responseObject ?? {}) as Record<string, unknown>;
  if (answer.kind !== 'Status') return { metadata: {}, code };
  const { status, message, reason, details } = answer;
  return { metadata: {}, status, message, reason, details, code };
}

const annotations = ({ allowed, reason }: Decision): Record<string, string> => ({
  'authorization.k8s.io/decision': allowed ? 'allow' : 'forbid',
  'authorization.k8s.io/reason': reason,
});

const micro = (date: Date): string => date.toISOString().replace('Z', '000Z');

export interface AuditLog {
  write(event: AuditEvent): void;
  close(): void;
}

/** Opens the log for appending. At `maxBytes` the file becomes `<file>.1`, and what was that is gone. */
export function openAudit(file: string, maxBytes = 32 * 1024 * 1024): AuditLog {
  let fd = openWhole(file);
  return {
    write(event) {
      writeSync(fd, `${JSON.stringify(event)}\n`);
      if (statSync(file).size < maxBytes) return;
      closeSync(fd);
      renameSync(file, `${file}.1`);
      fd = openWhole(file);
    },
    close: () => closeSync(fd),
  };
}

/** Opens for appending; a last line that a kill tore is ended, so that it spoils no other. */
function openWhole(file: string): number {
  const torn = existsSync(file) && !endsWithNewline(file);
  const fd = openSync(file, 'a', 0o600);
  if (torn) writeSync(fd, '\n');
  return fd;
}

function endsWithNewline(file: string): boolean {
  const { size } = statSync(file);
  if (size === 0) return true;
  const fd = openSync(file, 'r');
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  closeSync(fd);
  return last.toString() === '\n';
}
