/** The audit log as a table. */
import { age } from '../../lib/age.ts';
import { paintState, type Style } from '../output/style.ts';
import { type Column, table } from '../output/table.ts';
import type { AuditRow } from './row.ts';

const REFUSED = new Set([401, 403, 422]);

/** What the API server made of the request. */
export function resultOf({ code, dryRun, verb }: AuditRow): string {
  if (code < 400) return dryRun ? 'dry run' : 'done';
  if (code === 409) return verb === 'create' ? 'exists' : 'conflict';
  return REFUSED.has(code) ? 'refused' : `failed ${code}`;
}

/** Columns at `now`; the namespace stands in the wide one. */
export const auditColumns = (now: Date, style: Style): Column<AuditRow>[] => [
  { heading: 'WHEN', cell: ({ at }) => `${age(at, now)} ago` },
  { heading: 'VERB', cell: ({ verb }) => verb },
  { heading: 'RESOURCE', cell: ({ resource }) => resource },
  { heading: 'NAMESPACE', cell: ({ namespace }) => namespace, wide: true },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'USER', cell: ({ user }) => user },
  { heading: 'ACTING FOR', cell: ({ impersonatedUser }) => impersonatedUser },
  { heading: 'RESULT', cell: resultOf, paint: (text) => paintState(style, text) },
];

/** `rows` as text. */
export const auditTable = (rows: readonly AuditRow[], { now, style }: { now: Date; style: Style }): string =>
  table(
    auditColumns(now, style).filter(({ wide }) => !wide),
    rows,
  );
