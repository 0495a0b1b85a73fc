/**
 * What is particular to a built-in kind: what it gets when it is made, and what it may not be. Only what tiny or
 * kubectl would miss is here; a field that a real API server would fill in and nobody reads is left out.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Stored } from '../types.ts';
import { type Cause, cause } from './errors.ts';
import { CRDS, type CrdSpec } from './schema.ts';

type Json = Record<string, unknown>;

interface Kind {
  /** The object with defaults; `now` is a timestamp. */
  complete?: (object: Stored, now: string) => Stored;
  validate?: (object: Stored, old: Stored | undefined) => Cause[];
}

/** Bytes that a Secret or a ConfigMap may hold. */
const MAX_DATA = 1024 * 1024;
/** Keeps a claim that a pod uses; a controller takes it off. */
export const IN_USE = 'kubernetes.io/pvc-protection';

const map = (value: unknown): Json => (value ?? {}) as Json;
const withDefaults = (object: Stored, spec: Json, status?: Json): Stored => ({
  ...object,
  spec: { ...spec, ...map(object.spec) },
  ...(status && { status: { ...status, ...map(object.status) } }),
});
const immutable = (field: string, object: Stored, old: Stored | undefined): Cause[] =>
  !old || isDeepStrictEqual(object[field], old[field])
    ? []
    : [cause.invalid(field, object[field], 'field is immutable')];

function dataCauses(object: Stored, old: Stored | undefined): Cause[] {
  const bytes = (value: unknown, encoding: BufferEncoding) => Buffer.byteLength(String(value), encoding);
  const encoding = object.kind === 'Secret' ? 'base64' : 'utf8';
  const size = Object.values(map(object.data)).reduce<number>((sum, value) => sum + bytes(value, encoding), 0);
  const changed = ['data', 'binaryData', 'immutable'].filter(
    (field) => !isDeepStrictEqual(object[field], old?.[field]),
  );
  const fixed = old?.immutable ? changed : [];
  return [
    ...(size > MAX_DATA ? [cause.tooLong('data', MAX_DATA)] : []),
    ...fixed.map((field) => cause.forbidden(field, 'field is immutable when `immutable` is set')),
  ];
}

const secret: Kind = {
  complete: ({ stringData, ...object }) => {
    const base64 = (value: unknown) => Buffer.from(String(value)).toString('base64');
    const added = Object.entries(map(stringData)).map(([key, value]) => [key, base64(value)]);
    const data = { ...map(object.data), ...Object.fromEntries(added) };
    return { ...object, ...(Object.keys(data).length > 0 && { data }), type: object.type ?? 'Opaque' } as Stored;
  },
  validate: (object, old) => [...dataCauses(object, old), ...immutable('type', object, old)],
};

const claim: Kind = {
  complete: (object) => {
    const { metadata } = object;
    const finalizers = [...new Set([...(metadata.finalizers ?? []), IN_USE])];
    const kept = metadata.resourceVersion ? object : { ...object, metadata: { ...metadata, finalizers } };
    return withDefaults(kept, { volumeMode: 'Filesystem' }, { phase: 'Pending' });
  },
  validate: ({ spec }, old) => {
    const fixed = (of: unknown) => ({ ...map(of), resources: undefined, volumeName: undefined });
    const text =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    return !old || isDeepStrictEqual(fixed(spec), fixed(old.spec)) ? [] : [cause.forbidden('spec', text)];
  },
};

const deployment: Kind = {
  complete: (object) => {
    const rolling = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } };
    const spec = { replicas: 1, strategy: rolling, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 };
    return withDefaults(object, spec);
  },
  validate: ({ spec }, old) => {
    const { selector, template } = spec as {
      selector: { matchLabels: Json };
      template: { metadata: { labels: Json } };
    };
    const { labels } = template.metadata;
    const matches = Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value);
    const fixed = !old || isDeepStrictEqual(selector, map(old.spec).selector);
    const mismatch = '`selector` does not match template `labels`';
    return [
      ...(matches ? [] : [cause.invalid('spec.template.metadata.labels', labels, mismatch)]),
      ...(fixed ? [] : [cause.invalid('spec.selector', selector, 'field is immutable')]),
    ];
  },
};

const pod: Kind = {
  complete: (object) => {
    const spec = { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, serviceAccountName: 'default' };
    return withDefaults(object, spec, { phase: 'Pending' });
  },
};

const namespace: Kind = {
  complete: (object) => {
    const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name };
    const named = { ...object, metadata: { ...object.metadata, labels } };
    return withDefaults(named, { finalizers: ['kubernetes'] }, { phase: 'Active' });
  },
};

const definition: Kind = {
  complete: (object, now) => {
    const { names, versions } = object.spec as CrdSpec;
    const accepted = { singular: names.kind.toLowerCase(), listKind: `${names.kind}List`, ...names };
    const condition = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', lastTransitionTime: now };
    const conditions = [
      { ...condition, message: 'the initial names have been accepted' },
      { ...condition, type: 'NamesAccepted', reason: 'NoConflicts', message: 'no conflicts found' },
    ];
    const status = { acceptedNames: accepted, conditions, storedVersions: versions.map(({ name }) => name) };
    const named = { ...object, spec: { ...map(object.spec), names: accepted } };
    return withDefaults(named, { conversion: { strategy: 'None' } }, status);
  },
  validate: ({ spec, metadata: { name } }) => {
    const { group, names } = spec as CrdSpec;
    const right = name === `${names.plural}.${group}`;
    return right ? [] : [cause.invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
  },
};

const binding: Kind = { validate: (object, old) => immutable('roleRef', object, old) };

/** By plural and group. */
export const KINDS: Record<string, Kind | undefined> = {
  secrets: secret,
  configmaps: { validate: dataCauses },
  persistentvolumeclaims: claim,
  pods: pod,
  namespaces: namespace,
  'deployments.apps': deployment,
  [CRDS]: definition,
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
};
