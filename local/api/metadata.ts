/** The rules of object metadata: names, labels, what a client can't set and what can't change. */
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '../../lib/api/meta.ts';
import type { Stored } from '../types.ts';
import { type Cause, cause } from './errors.ts';
import type { Resource } from './resources.ts';

/** Metadata with what only the stand-in reads. */
export type Metadata = ObjectMeta & { deletionGracePeriodSeconds?: number };

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const MAX_ANNOTATIONS = 256 * 1024;

interface Format {
  pattern: string;
  max: number;
  rule: string;
}

const alphanumeric = 'and must start and end with an alphanumeric character';
const regex = (pattern: string) => `regex used for validation is '${pattern}')`;
const SUBDOMAIN_NAME: Format = {
  pattern: SUBDOMAIN,
  max: 253,
  rule: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumeric} (e.g. 'example.com', ${regex(SUBDOMAIN)}`,
};
const LABEL_NAME: Format = {
  pattern: LABEL,
  max: 63,
  rule: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumeric} (e.g. 'my-name',  or '123-abc', ${regex(LABEL)}`,
};
const SEGMENT_NAME: Format = { pattern: '(?!\\.{1,2}$)[^/%]+', max: 1024, rule: `may not contain '/' or '%'` };
const LABEL_VALUE: Format = {
  pattern: VALUE,
  max: 63,
  rule: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${alphanumeric} (e.g. 'MyValue',  or 'my_value',  or '12345', ${regex(VALUE)}`,
};

function formatCauses(field: string, value: string, { pattern, max, rule }: Format): Cause[] {
  const long = value.length > max ? [cause.invalid(field, value, `must be no more than ${max} bytes`)] : [];
  return new RegExp(`^(?:${pattern})$`).test(value) ? long : [...long, cause.invalid(field, value, rule)];
}

function nameFormat({ group, kind }: Resource): Format {
  if (group === 'rbac.authorization.k8s.io') return SEGMENT_NAME;
  return group === '' && (kind === 'Namespace' || kind === 'Service') ? LABEL_NAME : SUBDOMAIN_NAME;
}

/** A name made of `generateName`: Kubernetes appends five characters that form no words. */
export function generated(base: string): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  return base.slice(0, 58) + Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
}

/** What is wrong with an object's metadata, and with the change of it from `old`. */
export function metadataCauses(resource: Resource, metadata: ObjectMeta, old?: ObjectMeta): Cause[] {
  const { name, labels = {}, annotations = {} } = metadata;
  const size = Object.entries(annotations).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  return [
    ...(name
      ? formatCauses('metadata.name', name, nameFormat(resource))
      : [cause.required('metadata.name', 'name or generateName is required')]),
    ...Object.values(labels).flatMap((value) => formatCauses('metadata.labels', String(value), LABEL_VALUE)),
    ...(size > MAX_ANNOTATIONS ? [cause.tooLong('metadata.annotations', MAX_ANNOTATIONS)] : []),
    ...(old ? finalizerCauses(metadata, old) : []),
  ];
}

/** An object that is being deleted takes no new finalizers. */
function finalizerCauses(next: ObjectMeta, old: ObjectMeta): Cause[] {
  const added = (next.finalizers ?? []).filter((each) => !old.finalizers?.includes(each));
  if (!old.deletionTimestamp || added.length === 0) return [];
  const found = `[]string{${added.map((each) => `"${each}"`).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
  return [cause.forbidden('metadata.finalizers', detail)];
}

/** `next` with what only the server sets as it was, whatever a client sent. */
export function keptMetadata(next: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = next;
  const client = { labels, annotations, ownerReferences, finalizers, managedFields };
  const isEmpty = (value: unknown) =>
    value === undefined || (typeof value === 'object' && !Object.keys(value ?? {}).length);
  const kept = Object.entries({ ...old, ...client }).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(kept) as unknown as ObjectMeta;
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
