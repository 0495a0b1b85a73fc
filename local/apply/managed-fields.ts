/**
 * Who set which fields: `metadata.managedFields`, kept as kube-apiserver keeps it. A write that is no apply makes its
 * manager the owner of what it changed, and takes that from everyone else.
 */
import type { ManagedFieldsEntry } from '../../lib/api/meta.ts';
import type { Stored } from '../types.ts';
import { changes, decodeFields, difference, encodeFields, type FieldSet, fieldsOf, union } from './fields.ts';
import type { ListKeys } from './list-keys.ts';

/** What one manager owns by one way of writing. */
export interface Managed {
  entry: ManagedFieldsEntry;
  set: FieldSet;
}

/** Which entry a write belongs to. An applier keeps its entry across versions of the API, an updater has one for each. */
export interface Writer {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource: string;
}

export interface Update {
  /** Absent when the object is made. */
  old?: Stored | undefined;
  updated: Stored;
  manager: string;
  subresource: string;
  now: Date;
  keys: ListKeys;
}

/** The managed fields of an object after a create, update or patch. Call it before admission stamps anything. */
export function trackUpdate({ old, updated, manager, subresource, now, keys }: Update): ManagedFieldsEntry[] {
  const managed = startingPoint(old, updated, subresource);
  if (old && managed.length === 0) return [];
  const except = notSetBy(subresource);
  const { set, removed } = changes(fieldsOf(old ?? EMPTY, keys, except), fieldsOf(updated, keys, except));
  const writer: Writer = { manager, operation: 'Update', apiVersion: updated.apiVersion, subresource };
  const rest = managed.map((each) => ({ ...each, set: difference(each.set, union(set, removed)) }));
  return writeManaged(set.size > 0 ? own(rest, writer, { set, time: now }) : rest);
}

/** What is there before a create: metadata is part of every object and nobody's. */
const EMPTY = { metadata: {} };

/** Top-level fields that a write to this subresource leaves as they are. */
export const notSetBy = (subresource: string): string[] =>
  subresource === 'status' ? ['metadata', 'spec'] : ['status'];

/** A client may rewrite the entries, or reset them with `[]` or `[{}]`, but not through a subresource. */
function startingPoint(old: Stored | undefined, updated: Stored, subresource: string): Managed[] {
  const live = readManaged(old?.metadata.managedFields);
  const given = updated.metadata.managedFields;
  if (subresource || !given) return live;
  if (given.length === 0 || (given.length === 1 && Object.keys(given[0] ?? {}).length === 0)) return [];
  const read = given.every(isWhole) ? readManaged(given) : [];
  return read.length > 0 ? read : live;
}

const isWhole = ({ operation, apiVersion, fieldsType }: ManagedFieldsEntry): boolean =>
  (operation === 'Apply' || operation === 'Update') && Boolean(apiVersion) && fieldsType === 'FieldsV1';

/** The entries of a stored object. */
export const readManaged = (entries: readonly ManagedFieldsEntry[] = []): Managed[] =>
  entries.map((entry) => ({ entry, set: decodeFields(entry.fieldsV1) }));

/** Whether the entry is this writer's. */
export function isEntryOf(entry: ManagedFieldsEntry, writer: Writer): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === writer.operation &&
    (entry.subresource ?? '') === writer.subresource &&
    (writer.operation === 'Apply' || entry.apiVersion === writer.apiVersion)
  );
}

/** Adds to what the writer owns. Without a time none is told, as for an apply that changes nothing. */
export function own(
  managed: Managed[],
  writer: Writer,
  { set, time }: { set: FieldSet; time: Date | string | undefined },
): Managed[] {
  const before = managed.find(({ entry }) => isEntryOf(entry, writer));
  const { subresource, ...head } = writer;
  const seconds = time instanceof Date ? time.toISOString().replace(/\.\d+Z$/, 'Z') : time;
  const entry = { ...head, ...(seconds && { time: seconds }), ...(subresource && { subresource }) };
  return [...managed.filter((each) => each !== before), { entry, set: union(before?.set ?? new Set(), set) }];
}

/** The entries as they are stored: none that owns nothing, appliers first, then the oldest. */
export function writeManaged(managed: readonly Managed[]): ManagedFieldsEntry[] {
  const entries = managed
    .filter(({ set }) => set.size > 0)
    .map(({ entry, set }) => {
      const { subresource, fieldsType: _type, fieldsV1: _fields, ...head } = entry;
      return { ...head, fieldsType: 'FieldsV1', fieldsV1: encodeFields(set), ...(subresource && { subresource }) };
    });
  const order = ({ operation, time = '', manager, apiVersion, subresource = '' }: ManagedFieldsEntry) =>
    JSON.stringify([operation, time, manager, apiVersion, subresource]);
  return entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
