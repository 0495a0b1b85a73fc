/**
 * Server-side apply as structured-merge-diff does it: the configuration is merged into the live object, what its
 * manager applied before and no longer does is removed unless another owns it, and changing what another owns is a
 * conflict unless forced.
 */
import type { ManagedFieldsEntry } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Stored } from '../types.ts';
import {
  changes,
  describeField,
  difference,
  type FieldSet,
  fieldsOf,
  intersection,
  union,
  withParents,
} from './fields.ts';
import type { ListKeys } from './list-keys.ts';
import {
  isEntryOf,
  type Managed,
  notSetBy,
  own,
  readManaged,
  trackUpdate,
  type Writer,
  writeManaged,
} from './managed-fields.ts';
import { mergeConfig, removeFields } from './merge-config.ts';

export interface Apply {
  /** Absent where the apply makes the object. */
  live?: Stored | undefined;
  config: Stored;
  manager: string;
  /** Take over what others own. */
  force: boolean;
  subresource: string;
  now: Date;
  keys: ListKeys;
}

/** Every object has metadata, whoever owns what is in it. */
const METADATA = new Set(['f:metadata']);

/**
 * The object that comes of it; equal to `live` where nothing changes. `metadata.uid` and `resourceVersion` of the
 * configuration are in it, for the caller to check. Throws 409 with a cause for each field in conflict.
 */
export function applyConfig({ live, config, manager, force, subresource, now, keys }: Apply): { object: Stored } {
  if (config.metadata.managedFields) {
    throw new ApiError(400, { reason: 'BadRequest', message: 'metadata.managedFields must be nil' });
  }
  const except = notSetBy(subresource);
  const writer: Writer = { manager, operation: 'Apply', apiVersion: config.apiVersion, subresource };
  const before = live ? managedBefore(live, { subresource, now, keys }) : [];
  const mine = before.find(({ entry }) => isEntryOf(entry, writer));
  const others = before.filter((each) => each !== mine);
  const applied = ownedBy(config, keys, except);

  const merged = mergeConfig(live ?? {}, settable(config, except), { keys, fields: [] });
  const kept = union(METADATA, withParents(union(applied, ...others.map(({ set }) => set))));
  const gone = difference(withParents(mine?.set ?? new Set()), kept);
  const object = removeFields(merged, gone, { keys, fields: [], path: '' }) as Stored;

  const { set, removed } = changes(fieldsOf(live ?? { metadata: {} }, keys, except), fieldsOf(object, keys, except));
  if (!force) refuseConflicts(others, set);
  const left = others.map((each) => ({ ...each, set: difference(each.set, union(set, removed)) }));
  const changed = set.size > 0 || removed.size > 0;
  const managed = own(left, writer, { set: applied, time: changed ? now : mine?.entry.time });
  return { object: withManaged(object, writeManaged(managed)) };
}

function managedBefore(live: Stored, at: { subresource: string; now: Date; keys: ListKeys }): Managed[] {
  const managed = readManaged(live.metadata.managedFields);
  if (managed.length > 0) return managed;
  const updated = withManaged(live, []);
  return readManaged(trackUpdate({ old: undefined, updated, manager: 'before-first-apply', ...at }));
}

function ownedBy(config: Stored, keys: ListKeys, except: readonly string[]): Set<string> {
  return new Set([...fieldsOf(config, keys, except)].flatMap(([path, { owned }]) => (owned ? [path] : [])));
}

/** The configuration without what this write can't set; of metadata, what says which object is meant. */
function settable(config: Stored, except: readonly string[]): Record<string, unknown> {
  const { name, namespace, uid, resourceVersion } = config.metadata;
  const meant = {
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
  const entries = Object.entries(config).filter(([field]) => !except.includes(field));
  return { ...Object.fromEntries(entries), ...(except.includes('metadata') && { metadata: meant }) };
}

function withManaged(object: Stored, managed: ManagedFieldsEntry[]): Stored {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { managedFields: _, ...others } = metadata;
  const all = { ...others, ...(managed.length > 0 && { managedFields: managed }) };
  return { apiVersion, kind, metadata: all, ...rest };
}

function refuseConflicts(others: readonly Managed[], set: FieldSet): void {
  const conflicts = others.flatMap(({ entry, set: theirs }) =>
    [...intersection(theirs, set)]
      .sort()
      .map((path) => ({ manager: describeManager(entry), field: describeField(path) })),
  );
  const [first] = conflicts;
  if (!first) return;
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].sort();
  const lines = managers.flatMap((manager) => [
    `conflicts with ${manager}:`,
    ...conflicts.filter((each) => each.manager === manager).map(({ field }) => `- ${field}`),
  ]);
  const one = `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`;
  const many = `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
  const causes = conflicts.map(({ manager, field }) => {
    return { reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field };
  });
  throw new ApiError(409, { reason: 'Conflict', message: conflicts.length === 1 ? one : many, details: { causes } });
}

function describeManager({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const through = subresource ? ` with subresource "${subresource}"` : '';
  return `"${manager}"${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
