/**
 * Which lists and maps Kubernetes merges item by item, and by what: the one table that strategic merge patch and
 * server-side apply both go by. For built-in kinds from the OpenAPI document of kube-apiserver 1.37 (the paths that
 * have a `x-kubernetes-list-type` or `-map-type`), for custom resources from their own schema. What is not named is
 * usual: a list is replaced whole, a map is merged.
 */

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
const whole = (...keys: string[]): ListMap => ({ keys, atomicItems: true });

/** By the last field name, or the last two where the last alone does not tell. */
const BUILT_IN = new Map<string, Shape>(
  Object.entries<Shape>({
    'metadata.ownerReferences': whole('uid'),
    'metadata.finalizers': 'set',
    containers: by('name'),
    initContainers: by('name'),
    ephemeralContainers: by('name'),
    env: by('name'),
    volumes: by('name'),
    volumeMounts: by('mountPath'),
    volumeDevices: by('devicePath'),
    'containers.ports': by('containerPort', 'protocol'),
    'initContainers.ports': by('containerPort', 'protocol'),
    'spec.ports': by('port', 'protocol'),
    imagePullSecrets: whole('name'),
    secrets: whole('name'),
    hostAliases: by('ip'),
    topologySpreadConstraints: by('topologyKey', 'whenUnsatisfiable'),
    claims: by('name'),
    schedulingGates: by('name'),
    conditions: by('type'),
    podIPs: by('ip'),
    nodeSelector: 'atomic',
    selector: 'atomic',
    podSelector: 'atomic',
    namespaceSelector: 'atomic',
    labelSelector: 'atomic',
    dataSource: 'atomic',
    claimRef: 'atomic',
    roleRef: 'atomic',
    involvedObject: 'atomic',
    secretRef: 'atomic',
    secretKeyRef: 'atomic',
    configMapKeyRef: 'atomic',
    fieldRef: 'atomic',
    resourceFieldRef: 'atomic',
  }),
);

/** The shapes in the kinds that Kubernetes itself has. A key's default is that of `protocol`: TCP. */
export const builtInKeys: ListKeys = (path) =>
  BUILT_IN.get(path.slice(-2).join('.')) ?? BUILT_IN.get(path.at(-1) ?? '');

/** As much of a CRD's `openAPIV3Schema` as tells the shapes. */
export interface OpenApiSchema {
  properties?: Record<string, OpenApiSchema>;
  additionalProperties?: OpenApiSchema | boolean;
  items?: OpenApiSchema;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
}

/** The shapes in a custom resource, from the schema of its version. Its metadata is like any object's. */
export function crdKeys(schema: OpenApiSchema): ListKeys {
  return (path) => (path[0] === 'metadata' ? builtInKeys(path) : shapeOf(path.reduce(descend, schema)));
}

const SHAPES: Record<string, (schema: OpenApiSchema) => Shape | undefined> = {
  map: (schema) => ({ keys: schema['x-kubernetes-list-map-keys'] ?? [] }),
  set: () => 'set',
  atomic: () => 'atomic',
};

const shapeOf = (schema: OpenApiSchema): Shape | undefined =>
  SHAPES[schema['x-kubernetes-list-type'] ?? schema['x-kubernetes-map-type'] ?? '']?.(schema);

function descend(schema: OpenApiSchema, field: string): OpenApiSchema {
  const { properties, additionalProperties } = schema.items ?? schema;
  return properties?.[field] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
}

/** What an item is known by within its list, as FieldsV1 writes it: `k:{"name":"a"}` or `v:"a"`. */
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
  const known = new Set(present);
  const asked = new Set(wanted);
  const rest = [...wanted];
  const order: string[] = [];
  for (const key of present) {
    if (!asked.has(key)) order.push(key);
    else if (key === rest.find((each) => known.has(each))) order.push(...rest.splice(0, rest.indexOf(key) + 1));
  }
  return [...order, ...rest];
}
