/** The rules of object metadata: names, labels, what a client can't set and what can't change. */
import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '../../lib/api/meta.ts';
import type { Stored } from '../types.ts';
import { type Cause, cause } from './errors.ts';
import type { Resource } from './resources.ts';

/** Metadata with what only the stand-in reads. */
export type Metadata = ObjectMeta & { deletionGracePeriodSeconds?: number };

interface Format {
  pattern: RegExp;
  max: number;
  rule: string;
}

const SUBDOMAIN: Format = {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  max: 253,
  rule: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
};
const LABEL: Format = { ...SUBDOMAIN, pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, max: 63 };
const SEGMENT: Format = { pattern: /^(?!\.{1,2}$)[^/%]+$/, max: 1024, rule: "may not contain '/' or '%'" };
const LABEL_VALUE: Format = {
  pattern: /^(([A-Za-z0-9][-\w.]*)?[A-Za-z0-9])?$/,
  max: 63,
  rule: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'",
};

function formatCauses(field: string, value: string, { pattern, max, rule }: Format): Cause[] {
  if (value.length > max) return [cause.invalid(field, value, `must be no more than ${max} bytes`)];
  return pattern.test(value) ? [] : [cause.invalid(field, value, rule)];
}

function nameFormat({ group, kind }: Resource): Format {
  if (group === 'rbac.authorization.k8s.io') return SEGMENT;
  return kind === 'Namespace' ? LABEL : SUBDOMAIN;
}

/** What is wrong with an object's metadata, and with the change of it from `old`. */
export function metadataCauses(
  resource: Resource,
  { name, labels = {}, finalizers = [] }: ObjectMeta,
  old?: ObjectMeta,
) {
  const added = old?.deletionTimestamp ? finalizers.filter((each) => !old.finalizers?.includes(each)) : [];
  const late = `no new finalizers can be added if the object is being deleted, found new finalizers ${added}`;
  const unnamed = cause.invalid('metadata.name', undefined, 'a name is required: the stand-in makes none up');
  return [
    ...(name ? formatCauses('metadata.name', name, nameFormat(resource)) : [unnamed]),
    ...Object.values(labels).flatMap((value) => formatCauses('metadata.labels', value, LABEL_VALUE)),
    ...(added.length > 0 ? [cause.invalid('metadata.finalizers', undefined, late)] : []),
  ];
}

/** `next` with what only the server sets as it was, whatever a client sent. */
export function keptMetadata(next: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = next;
  const all = { ...old, ...{ labels, annotations, ownerReferences, finalizers, managedFields } };
  const isEmpty = (value: unknown) => value === undefined || (value instanceof Object && !Object.keys(value).length);
  return Object.fromEntries(Object.entries(all).filter(([, value]) => !isEmpty(value))) as unknown as ObjectMeta;
}

/** Whether anything but metadata and status differs: what `metadata.generation` counts. */
export function specDiffers(a: Stored, b: Stored): boolean {
  const spec = ({ metadata: _, status: __, ...rest }: Stored) => rest;
  return !isDeepStrictEqual(plain(spec(a)), plain(spec(b)));
}

/** Whether two objects say the same, but for versions and the times of managed fields. */
export function sameContent(a: Stored, b: Stored): boolean {
  const content = ({ metadata, ...rest }: Stored) => {
    const managedFields = metadata.managedFields?.map(({ time: _, ...entry }) => entry);
    return plain({ ...rest, metadata: { ...metadata, resourceVersion: '', managedFields } });
  };
  return isDeepStrictEqual(content(a), content(b));
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
