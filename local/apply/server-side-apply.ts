/**
 * Server-side apply as structured-merge-diff does it: the configuration is merged into the live object, what its
 * manager applied before and no longer does is removed unless another owns it, and changing what another owns is a
 * conflict unless forced.
 */
import { toTimestamp } from '../../lib/api/conditions.ts';
import type { ManagedFieldsEntry } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { badRequest } from '../api/errors.ts';
import type { Stored } from '../types.ts';
import { describeField, difference, type FieldSet, fieldsOf, removeFields, union, withParents } from './fields.ts';
import {
  entryOf,
  isSame,
  type Managed,
  notSetBy,
  own,
  readManaged,
  taken,
  type Writing,
  writeManaged,
} from './managed-fields.ts';
import { merge } from './merge.ts';

export interface Apply extends Writing {
  /** Absent where the apply makes the object. */
  live?: Stored | undefined;
  config: Stored;
  /** Take over what others own. */
  force: boolean;
}

/**
 * The object that comes of it; equal to `live` where nothing changes. `metadata.uid` and `resourceVersion` of the
 * configuration are in it, for the caller to check. Throws 409 with a cause for each field in conflict.
 */
export function applyConfig({ live, config, force, ...writing }: Apply): Stored {
  if (config.metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
  const { keys, now } = writing;
  const except = notSetBy(writing.subresource);
  const entry = entryOf(writing, 'Apply', config.apiVersion);
  const before = readManaged(live?.metadata.managedFields);
  const mine = before.find((each) => isSame(each.entry, entry));
  const others = before.filter((each) => each !== mine);
  const applied = new Set([...fieldsOf(config, keys, except)].flatMap(([path, { owned }]) => (owned ? [path] : [])));

  const merged = merge(live ?? {}, settable(config, except), keys);
  const kept = withParents(union(applied, ...others.map(({ set }) => set)));
  const gone = difference(withParents(mine?.set ?? new Set()), union(kept, new Set(['f:metadata'])));
  const object = removeFields(merged, gone, keys) as Stored;

  const { set, changed, rest } = taken(others, { before: live, after: object, writing });
  if (!force) refuseConflicts(others, set);
  const time = changed.size > 0 ? toTimestamp(now) : mine?.entry.time;
  return withManaged(object, writeManaged(own(rest, { ...entry, ...(time && { time }) }, applied)));
}

/** The configuration without what this write can't set; of metadata, what says which object is meant. */
function settable(config: Stored, except: readonly string[]): Record<string, unknown> {
  const { name, namespace = null, uid = null, resourceVersion = null } = config.metadata;
  const entries = Object.entries(config).filter(([field]) => !except.includes(field));
  const meant = Object.entries({ name, namespace, uid, resourceVersion }).filter(([, value]) => value !== null);
  return Object.fromEntries(
    except.includes('metadata') ? [...entries, ['metadata', Object.fromEntries(meant)]] : entries,
  );
}

function withManaged(object: Stored, managed: ManagedFieldsEntry[]): Stored {
  const { managedFields: _, ...others } = object.metadata;
  return { ...object, metadata: { ...others, ...(managed.length > 0 && { managedFields: managed }) } };
}

function refuseConflicts(others: readonly Managed[], set: FieldSet): void {
  const conflicts = others.flatMap(({ entry, set: theirs }) =>
    [...theirs]
      .filter((path) => set.has(path))
      .sort()
      .map((path) => ({ message: `conflict with ${describeManager(entry)}`, field: describeField(path) })),
  );
  const [first] = conflicts;
  if (!first) return;
  const lines = [...Map.groupBy(conflicts, ({ message }) => message)].flatMap(([message, each]) => [
    `${message.replace('conflict', 'conflicts')}:`,
    ...each.map(({ field }) => `- ${field}`),
  ]);
  const one = `1 conflict: ${first.message}: ${first.field}`;
  const many = `${conflicts.length} conflicts: ${lines.join('\n')}`;
  throw new ApiError(409, {
    reason: 'Conflict',
    message: `Apply failed with ${conflicts.length === 1 ? one : many}`,
    details: { causes: conflicts.map((each) => ({ reason: 'FieldManagerConflict', ...each })) },
  });
}

function describeManager({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const through = subresource ? ` with subresource "${subresource}"` : '';
  return `"${manager}"${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
