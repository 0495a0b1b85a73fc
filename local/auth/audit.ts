/**
 * The audit log in the shape of `audit.k8s.io/v1`: who did what, as whom, and what came of it, never what an object
 * holds. A file of JSON lines, one write a line, so that a kill tears at most the last; the oldest goes when the log
 * is full.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import type { Person } from '../../lib/api/meta.ts';
import type { Attributes } from '../types.ts';

/** What is known of a request once it is answered. */
export interface Audited {
  attributes: Omit<Attributes, 'user'>;
  /** Who sent it. */
  user: Person;
  impersonated?: Person | undefined;
  constraint?: string | undefined;
  requestURI: string;
  sourceIPs: string[];
  userAgent?: string | undefined;
  received: Date;
  answered: Date;
  code: number;
  /** The answer's body: of a failure, the `Status`. */
  response?: unknown;
  request?: unknown;
}

interface Body {
  kind?: string;
  metadata?: { name?: string; uid?: string; resourceVersion?: string };
}

/** The event of one request; what is `undefined` is not written. */
export function auditEvent(audited: Audited): Record<string, unknown> {
  const { attributes, user, impersonated, constraint, requestURI, sourceIPs, userAgent } = audited;
  return {
    ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata' },
    ...{ auditID: randomUUID(), stage: 'ResponseComplete', requestURI, verb: attributes.verb, user },
    impersonatedUser: impersonated,
    authenticationMetadata: constraint && { impersonationConstraint: constraint },
    ...{ sourceIPs, userAgent },
    objectRef: objectRef(audited),
    responseStatus: responseStatus(audited),
    requestReceivedTimestamp: micro(audited.received),
    stageTimestamp: micro(audited.answered),
  };
}

function objectRef({ attributes, response, request }: Audited): Record<string, string | undefined> {
  const { resource, subresource, namespace, name, group, version } = attributes;
  const made = identity(response);
  return {
    ...{ resource, namespace: namespace || undefined, name: name || made?.name || identity(request)?.name },
    ...{ uid: made?.uid, apiGroup: group || undefined, apiVersion: version },
    ...{ resourceVersion: made?.resourceVersion, subresource: subresource || undefined },
  };
}

function identity(body: unknown): Body['metadata'] {
  const { kind, metadata } = (body ?? {}) as Body;
  return kind === 'Status' || kind?.endsWith('List') ? undefined : metadata;
}

function responseStatus({ code, response }: Audited): Record<string, unknown> {
  const answer = (response ?? {}) as Record<string, unknown>;
  if (answer.kind !== 'Status') return { metadata: {}, code };
  const { status, message, reason, details } = answer;
  return { metadata: {}, status, message, reason, details, code };
}

const micro = (date: Date): string => date.toISOString().replace('Z', '000Z');

export interface AuditLog {
  write(event: Record<string, unknown>): void;
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
  const last = existsSync(file) ? readFileSync(file).at(-1) : undefined;
  const fd = openSync(file, 'a', 0o600);
  if (last !== undefined && last !== '\n'.charCodeAt(0)) writeSync(fd, '\n');
  return fd;
}
