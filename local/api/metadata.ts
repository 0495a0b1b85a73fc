/** The rules of object metadata: names, labels, what a client can't set and what can't change. */
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '../../lib/api/meta.ts';
import type { Stored } from '../types.ts';
import { type Cause, cause } from './errors.ts';
import type { Resource } from './resources.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const MAX_ANNOTATIONS = 256 * 1024;

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const LABEL_ONLY = whole(LABEL);
const SUBDOMAIN_ONLY = whole(SUBDOMAIN);
const LABEL_VALUE_ONLY = whole(LABEL_VALUE);

const SUBDOMAIN_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const LABEL_RULE = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const LABEL_VALUE_RULE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;

/** A name made of `generateName`: Kubernetes appends five characters that form no words. */
export function generated(base: string): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  const suffix = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
  return base.slice(0, 58) + suffix;
}

export function metadataCauses(resource: Resource, metadata: ObjectMeta): Cause[] {
  const { name, labels = {}, annotations = {} } = metadata;
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + key.length + Buffer.byteLength(value),
    0,
  );
  return [
    ...nameCauses(resource, name),
    ...Object.values(labels).flatMap((value) => labelCauses(value)),
    ...(size > MAX_ANNOTATIONS ? [cause.tooLong('metadata.annotations', MAX_ANNOTATIONS)] : []),
  ];
}

function labelCauses(value: string): Cause[] {
  if (value.length > 63) return [cause.invalid('metadata.labels', value, 'must be no more than 63 bytes')];
  return LABEL_VALUE_ONLY.test(value) ? [] : [cause.invalid('metadata.labels', value, LABEL_VALUE_RULE)];
}

function nameCauses({ group, kind }: Resource, name: string): Cause[] {
  const field = 'metadata.name';
  if (!name) return [cause.required(field, 'name or generateName is required')];
  if (group === 'rbac.authorization.k8s.io') {
    const bad = name === '.' || name === '..' || /[/%]/.test(name);
    return bad ? [cause.invalid(field, name, `may not be '.' or '..' or contain '/' or '%'`)] : [];
  }
  const label = kind === 'Namespace' || kind === 'Service';
  const max = label ? 63 : 253;
  const rule = label ? LABEL_RULE : SUBDOMAIN_RULE;
  return [
    ...(name.length > max
      ? [cause.invalid(field, name, `must be no more than ${max} ${label ? 'bytes' : 'bytes'}`)]
      : []),
    ...((label ? LABEL_ONLY : SUBDOMAIN_ONLY).test(name) ? [] : [cause.invalid(field, name, rule)]),
  ];
}

/** What only the server sets stays as it was, whatever a client sent. */
export function keptMetadata(next: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const server = ['name', 'namespace', 'generateName', 'uid', 'resourceVersion', 'generation'] as const;
  const times = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;
  const kept: Record<string, unknown> = { ...next };
  for (const key of [...server, ...times]) {
    const value = (old as unknown as Record<string, unknown>)[key];
    if (value === undefined) delete kept[key];
    else kept[key] = value;
  }
  return kept as unknown as ObjectMeta;
}

/** An object that is being deleted takes no new finalizers. */
export function finalizerCauses(next: ObjectMeta, old: ObjectMeta): Cause[] {
  const added = (next.finalizers ?? []).filter((each) => !old.finalizers?.includes(each));
  if (!old.deletionTimestamp || added.length === 0) return [];
  const found = `[]string{${added.map((each) => `"${each}"`).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
  return [cause.forbidden('metadata.finalizers', detail)];
}

/** Whether anything but metadata and status differs: what `metadata.generation` counts. */
export function specDiffers(a: Stored, b: Stored): boolean {
  const spec = ({ metadata: _, status: __, ...rest }: Stored) => rest;
  return !isDeepStrictEqual(spec(a), spec(b));
}

/** Whether two objects say the same, but for versions and the times of managed fields. */
export function sameContent(a: Stored, b: Stored): boolean {
  const content = ({ metadata, ...rest }: Stored) => {
    const managedFields = metadata.managedFields?.map(({ time: _, ...entry }) => entry);
    return { ...rest, metadata: { ...metadata, resourceVersion: '', managedFields } };
  };
  return isDeepStrictEqual(withoutUndefined(content(a)), withoutUndefined(content(b)));
}

const withoutUndefined = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
