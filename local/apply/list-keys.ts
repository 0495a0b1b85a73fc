/**
 * Which lists and maps Kubernetes merges item by item, and by what: the one table that strategic merge patch and
 * server-side apply both go by. Of built-in kinds it has the fields that tiny's objects have, as in the OpenAPI
 * document of kube-apiserver 1.37; of custom resources, what their schema says. What is not named is usual: a list
 * is replaced whole, a map is merged.
 */
import type { Schema } from '../api/schema.ts';

/** `atomic`: replaced whole. `set`: of scalars. Otherwise items are known by `keys`, of which the first is the patch's. */
export type Shape = 'atomic' | 'set' | ListMap;
export interface ListMap {
  keys: readonly string[];
  /** Whether each item is replaced whole. */
  atomicItems?: boolean;
}

/** The shape of the list or map at a path of field names: `['spec', 'containers', 'env']`, items left out. */
export type ListKeys = (path: readonly string[]) => Shape | undefined;

const by = (...keys: string[]): ListMap => ({ keys });

/** By the last field name, or the last two where the last alone does not tell. */
const BUILT_IN = new Map<string, Shape>(
  Object.entries<Shape>({
    'metadata.ownerReferences': { keys: ['uid'], atomicItems: true },
    'metadata.finalizers': 'set',
    containers: by('name'),
    initContainers: by('name'),
    env: by('name'),
    volumes: by('name'),
    volumeMounts: by('mountPath'),
    'containers.ports': by('containerPort', 'protocol'),
    imagePullSecrets: { keys: ['name'], atomicItems: true },
    conditions: by('type'),
    nodeSelector: 'atomic',
    selector: 'atomic',
    podSelector: 'atomic',
    namespaceSelector: 'atomic',
    roleRef: 'atomic',
    secretRef: 'atomic',
    secretKeyRef: 'atomic',
    configMapKeyRef: 'atomic',
    fieldRef: 'atomic',
  }),
);

/** The shapes in the kinds that Kubernetes itself has. */
export const builtInKeys: ListKeys = (path) =>
  BUILT_IN.get(path.slice(-2).join('.')) ?? BUILT_IN.get(path.at(-1) ?? '');

/** The shapes in a custom resource, from the schema of its version. Its metadata is like any object's. */
export const crdKeys =
  (schema: Schema): ListKeys =>
  (path) =>
    path[0] === 'metadata' ? builtInKeys(path) : shapeOf(path.reduce(descend, schema));

function shapeOf(schema: Schema): Shape | undefined {
  const type = schema['x-kubernetes-list-type'] ?? schema['x-kubernetes-map-type'];
  if (type === 'map') return { keys: schema['x-kubernetes-list-map-keys'] ?? [] };
  return type === 'set' || type === 'atomic' ? type : undefined;
}

function descend(schema: Schema, field: string): Schema {
  const { properties, additionalProperties } = schema.items ?? schema;
  return properties?.[field] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
}

/** What an item is known by within its list, as FieldsV1 writes it: `k:{"name":"a"}` or `v:"a"`. A port's protocol is TCP. */
export function itemKey(shape: Exclude<Shape, 'atomic'>, item: unknown): string {
  if (shape === 'set') return `v:${JSON.stringify(item)}`;
  const values = { protocol: 'TCP', ...(item as Record<string, unknown>) } as Record<string, unknown>;
  const named = shape.keys.toSorted().flatMap((key) => (key in values ? [[key, values[key]]] : []));
  return `k:${JSON.stringify(Object.fromEntries(named))}`;
}

/**
 * The order of a merged list, by key: that of `wanted`, and what only `present` has stays where it was between its
 * neighbours (as structured-merge-diff orders it).
 */
export function mergedOrder(present: readonly string[], wanted: readonly string[]): string[] {
  const rest = [...wanted];
  const order: string[] = [];
  for (const key of present) {
    if (!wanted.includes(key)) order.push(key);
    else if (key === rest.find((each) => present.includes(each))) order.push(...rest.splice(0, rest.indexOf(key) + 1));
  }
  return [...order, ...rest];
}
