/**
 * What is particular to a built-in kind: what it gets when it is made, and what it may not be. Only what tiny or
 * kubectl would miss is here; a field that a real API server would fill in and nobody reads is left out.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '../types.ts';
import { type Cause, cause } from './errors.ts';
import { CRDS, type CrdSpec } from './resources.ts';

type Json = Record<string, unknown>;

interface Kind {
  /** The object with defaults; `now` is as in a timestamp. */
  complete?: (object: Stored, now: string) => Stored;
  validate?: (object: Stored, old: Stored | undefined) => Cause[];
}

const MAX_DATA = 1024 * 1024;
export const IN_USE = 'kubernetes.io/pvc-protection';

const spec = (object: Stored | undefined): Json => (object?.spec ?? {}) as Json;

const filled = (object: Stored, defaults: Json, status?: Json): Stored => ({
  ...object,
  spec: { ...defaults, ...spec(object) },
  ...(status && { status: { ...status, ...(object.status as Json | undefined) } }),
});

const sized = ({ data, stringData, binaryData }: Stored): Cause[] => {
  const size = [data, stringData, binaryData].flatMap((map) => Object.values((map ?? {}) as Record<string, string>));
  const bytes = size.reduce((sum, value) => sum + Math.floor((value.replace(/=+$/, '').length * 3) / 4), 0);
  return bytes > MAX_DATA ? [cause.tooLong('data', MAX_DATA)] : [];
};

const fixed = (object: Stored, old: Stored | undefined): Cause[] => {
  if (!old?.immutable) return [];
  const now = object.immutable ? [] : ['immutable'];
  const changed = ['data', 'binaryData'].filter((field) => !isDeepStrictEqual(object[field], old[field]));
  return [...now, ...changed].map((field) => cause.forbidden(field, 'field is immutable when `immutable` is set'));
};

const secret: Kind = {
  complete: ({ stringData, ...object }) => {
    const encoded = Object.entries((stringData ?? {}) as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]);
    const data = { ...(object.data as Json | undefined), ...Object.fromEntries(encoded) };
    return { ...object, type: object.type ?? 'Opaque', ...(Object.keys(data).length > 0 && { data }) } as Stored;
  },
  validate: (object, old) => [...sized(object), ...fixed(object, old), ...unchanged(['type'], object, old)],
};

const unchanged = (fields: string[], object: Stored, old: Stored | undefined): Cause[] =>
  fields
    .filter((field) => old && !isDeepStrictEqual(object[field], old[field]))
    .map((field) => cause.invalid(field, object[field], 'field is immutable'));

const IMMUTABLE_CLAIM =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

const claim: Kind = {
  complete: (object) => {
    const { metadata } = filled(object, {});
    const finalizers = [...new Set([...(metadata.finalizers ?? []), IN_USE])];
    const protectedOne = metadata.resourceVersion ? object : { ...object, metadata: { ...metadata, finalizers } };
    return filled(protectedOne, { volumeMode: 'Filesystem' }, { phase: 'Pending' });
  },
  validate: (object, old) => {
    const required = spec(object).accessModes
      ? []
      : [cause.required('spec.accessModes', 'at least 1 access mode is required')];
    const rest = (of: Stored) => ({ ...spec(of), resources: undefined, volumeName: undefined });
    const same = !old || isDeepStrictEqual(rest(object), rest(old));
    return [...required, ...(same ? [] : [cause.forbidden('spec', IMMUTABLE_CLAIM)])];
  },
};

const deployment: Kind = {
  complete: (object) => {
    const strategy = (spec(object).strategy as Json | undefined) ?? {};
    const rolling = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } };
    return filled({ ...object, spec: { ...spec(object), strategy: strategy.type ? strategy : rolling } }, DEPLOYMENT);
  },
  validate: (object, old) => {
    const labels = (spec(object).template as { metadata?: { labels?: Json } } | undefined)?.metadata?.labels ?? {};
    const { selector } = spec(object);
    const wanted = (selector as { matchLabels?: Json } | undefined)?.matchLabels;
    if (!wanted) return [cause.required('spec.selector')];
    if (old && !isDeepStrictEqual(selector, spec(old).selector)) {
      return [cause.invalid('spec.selector', selector, 'field is immutable')];
    }
    const matches = Object.entries(wanted).every(([key, value]) => labels[key] === value);
    const mismatch = '`selector` does not match template `labels`';
    return matches ? [] : [cause.invalid('spec.template.metadata.labels', labels, mismatch)];
  },
};
const DEPLOYMENT = { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 };

const pod: Kind = {
  complete: (object) =>
    filled(
      object,
      { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, serviceAccountName: 'default' },
      { phase: 'Pending' },
    ),
  validate: (object) =>
    (spec(object).containers as unknown[] | undefined)?.length ? [] : [cause.required('spec.containers')],
};

const namespace: Kind = {
  complete: (object) => {
    const { metadata } = object;
    const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
    return filled(
      { ...object, metadata: { ...metadata, labels } },
      { finalizers: ['kubernetes'] },
      { phase: 'Active' },
    );
  },
};

const definition: Kind = {
  complete: (object, now) => {
    const { names, versions } = object.spec as CrdSpec;
    const accepted = { singular: names.kind.toLowerCase(), listKind: `${names.kind}List`, ...names };
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      reason,
      message,
      lastTransitionTime: now,
    });
    const conditions = [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ];
    const status = { acceptedNames: accepted, conditions, storedVersions: versions.map(({ name }) => name) };
    return filled(
      { ...object, spec: { conversion: { strategy: 'None' }, ...spec(object), names: accepted } },
      {},
      status,
    );
  },
  validate: (object) => {
    const { group, names } = object.spec as CrdSpec;
    const expected = `${names.plural}.${group}`;
    const detail = `must be spec.names.plural+"."+spec.group`;
    return object.metadata.name === expected ? [] : [cause.invalid('metadata.name', object.metadata.name, detail)];
  },
};

const binding: Kind = {
  validate: (object, old) =>
    !old || isDeepStrictEqual(object.roleRef, old.roleRef)
      ? []
      : [cause.invalid('roleRef', object.roleRef, 'cannot change roleRef')],
};

/** By plural and group. */
export const KINDS: Record<string, Kind> = {
  secrets: secret,
  configmaps: { validate: (object, old) => [...sized(object), ...fixed(object, old)] },
  persistentvolumeclaims: claim,
  pods: pod,
  namespaces: namespace,
  'deployments.apps': deployment,
  [CRDS]: definition,
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
};
