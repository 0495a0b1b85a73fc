/**
 * Who set which fields: `metadata.managedFields`, kept as kube-apiserver keeps it. A write that is no apply makes its
 * manager the owner of what it changed, and takes that from everyone else.
 */
import { toTimestamp } from '../../lib/api/conditions.ts';
import type { ManagedFieldsEntry } from '../../lib/api/meta.ts';
import type { Stored } from '../types.ts';
import { changes, decodeFields, difference, encodeFields, type FieldSet, fieldsOf, union } from './fields.ts';
import type { ListKeys } from './list-keys.ts';

/** What one manager owns by one way of writing. */
export interface Managed {
  entry: ManagedFieldsEntry;
  set: FieldSet;
}

/** Who writes, by which way and when. */
export interface Writing {
  manager: string;
  subresource: string;
  now: Date;
  keys: ListKeys;
}

/** The managed fields of an object after a create, update or patch. Call it before admission stamps anything. */
export function trackUpdate(updated: Stored, old: Stored | undefined, writing: Writing): ManagedFieldsEntry[] {
  const { subresource, now } = writing;
  const managed = startingPoint(old, updated, subresource);
  if (old && managed.length === 0) return [];
  const { set, rest } = taken(managed, { before: old, after: updated, writing });
  const entry = entryOf(writing, 'Update', updated.apiVersion);
  return writeManaged(set.size > 0 ? own(rest, { ...entry, time: toTimestamp(now) }, set) : rest);
}

/** Top-level fields that a write to this subresource leaves as they are. */
export const notSetBy = (subresource: string): string[] =>
  subresource === 'status' ? ['metadata', 'spec'] : ['status'];

/** What a write sets and removes, and what is left of it to others. */
export function taken(
  managed: readonly Managed[],
  { before, after, writing }: { before: object | undefined; after: object; writing: Writing },
) {
  const except = notSetBy(writing.subresource);
  const fields = (object: object) => fieldsOf(object, writing.keys, except);
  const { set, removed } = changes(fields(before ?? { metadata: {} }), fields(after));
  const changed = union(set, removed);
  return { set, changed, rest: managed.map((each) => ({ ...each, set: difference(each.set, changed) })) };
}

/** A client may rewrite the entries, or reset them with `[]` or `[{}]`, but not through a subresource. */
function startingPoint(old: Stored | undefined, updated: Stored, subresource: string): Managed[] {
  const live = readManaged(old?.metadata.managedFields);
  const given = updated.metadata.managedFields;
  if (subresource || !given) return live;
  if (given.every((entry) => Object.keys(entry).length === 0)) return [];
  return given.every(({ operation, apiVersion, fieldsV1 }) => operation && apiVersion && fieldsV1)
    ? readManaged(given)
    : live;
}

/** The entries of a stored object. */
export const readManaged = (entries: readonly ManagedFieldsEntry[] = []): Managed[] =>
  entries.map((entry) => ({ entry, set: decodeFields(entry.fieldsV1) }));

/** The entry that a write belongs to, without its fields and time. */
export const entryOf = (
  { manager, subresource }: Writing,
  operation: 'Apply' | 'Update',
  apiVersion: string,
): ManagedFieldsEntry => ({ manager, operation, apiVersion, ...(subresource && { subresource }) });

/** Whether two entries are one manager's by one way of writing. */
export const isSame = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;

/** Adds a set to what the writer of the entry owns. */
export function own(managed: readonly Managed[], entry: ManagedFieldsEntry, set: FieldSet): Managed[] {
  const before = managed.find((each) => isSame(each.entry, entry));
  return [...managed.filter((each) => each !== before), { entry, set: union(before?.set ?? new Set(), set) }];
}

/** The entries as they are stored: none that owns nothing, appliers first, then the oldest. */
export function writeManaged(managed: readonly Managed[]): ManagedFieldsEntry[] {
  const order = ({ operation, time = '', manager, subresource = '' }: ManagedFieldsEntry) =>
    JSON.stringify([operation, time, manager, subresource]);
  return managed
    .filter(({ set }) => set.size > 0)
    .map(({ entry, set }) => ({ ...entry, fieldsType: 'FieldsV1', fieldsV1: encodeFields(set) }))
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
