/**
 * What an object of a built-in kind gets when it is written. Only what tiny or kubectl would miss is here; a field that
 * a real API server would fill in and nobody reads is left out.
 */
import type { Stored } from '../types.ts';
import { CRDS, type CrdSpec } from './schema.ts';

type Json = Record<string, unknown>;

/** Keeps a claim that a pod uses; a controller takes it off. */
const IN_USE = 'kubernetes.io/pvc-protection';

const map = (value: unknown): Json => (value ?? {}) as Json;
const withDefaults = (object: Stored, { spec, status }: { spec?: Json; status?: Json }): Stored => ({
  ...object,
  ...(spec && { spec: { ...spec, ...map(object.spec) } }),
  ...(status && { status: { ...status, ...map(object.status) } }),
});

/** `stringData` is write-only: what it says goes into `data`. */
function secret({ stringData, ...object }: Stored): Stored {
  const added = Object.entries(map(stringData)).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  const data = { ...map(object.data), ...Object.fromEntries(added) };
  return { ...object, ...(added.length > 0 && { data }), type: object.type ?? 'Opaque' } as Stored;
}

function claim(object: Stored): Stored {
  const { metadata } = object;
  const finalizers = [...new Set([...(metadata.finalizers ?? []), IN_USE])];
  const kept = metadata.resourceVersion ? object : { ...object, metadata: { ...metadata, finalizers } };
  return withDefaults(kept, { spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } });
}

function namespace(object: Stored): Stored {
  const { metadata } = object;
  const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  return withDefaults({ ...object, metadata: { ...metadata, labels } }, { status: { phase: 'Active' } });
}

function definition(object: Stored, now: string): Stored {
  const { names } = object.spec as CrdSpec;
  const accepted = { singular: names.kind.toLowerCase(), listKind: `${names.kind}List`, ...names };
  const condition = { status: 'True', reason: 'InitialNamesAccepted', message: 'served', lastTransitionTime: now };
  const conditions = ['Established', 'NamesAccepted'].map((type) => ({ type, ...condition }));
  const named = { ...object, spec: { ...map(object.spec), names: accepted } };
  return withDefaults(named, {
    spec: { conversion: { strategy: 'None' } },
    status: { acceptedNames: accepted, conditions },
  });
}

const POD = { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, serviceAccountName: 'default' };

/** By where a kind is stored. */
const COMPLETE: Record<string, ((object: Stored, now: string) => Stored) | undefined> = {
  secrets: secret,
  persistentvolumeclaims: claim,
  pods: (object) => withDefaults(object, { spec: POD, status: { phase: 'Pending' } }),
  namespaces: namespace,
  'deployments.apps': (object) => withDefaults(object, { spec: { replicas: 1, strategy: { type: 'RollingUpdate' } } }),
  [CRDS]: definition,
};

/** The object with the defaults of its kind; `now` is a timestamp. */
export const completed = (key: string, object: Stored, now: string): Stored => COMPLETE[key]?.(object, now) ?? object;
