/** The API server's audit log, as far as the suite reads it. */
import { readFileSync } from 'node:fs';
import type { Person } from '../../lib/api/meta.ts';

export interface AuditEvent {
  verb: string;
  user: Person;
  impersonatedUser?: Person;
  authenticationMetadata?: { impersonationConstraint?: string };
  objectRef?: { resource?: string; namespace?: string; name?: string; apiGroup?: string; subresource?: string };
  responseStatus?: { code?: number };
  requestURI: string;
}

export const readAudit = (file: string): AuditEvent[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEvent);
