/** Tables as the server prints them for `kubectl get`, where the client accepts `application/json;as=Table`. */
import type { Stored } from '../types.ts';
import type { Call } from './call.ts';
import { groupResource } from './errors.ts';
import { find, first } from './jsonpath.ts';

type Json = Record<string, unknown>;
type Cell = (object: Stored, now: Date) => unknown;

export const wantsTable = (accept: string): boolean => /as=Table;v=v1;/.test(accept);

/** An object or a list as a table; an answer that is neither stays as it is. */
export function asTable(call: Call, body: Json, withColumns = true): Json {
  if (body.kind === 'Status') return body;
  const { items = [body as Stored], metadata } = body as { items?: Stored[]; metadata: Json };
  const columns = columnsOf(call);
  const include = call.query.get('includeObject') ?? 'Metadata';
  const rows = items.map((object) => {
    const cells = columns.map(({ cell }) => cell(object, call.api.now()));
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
    return include === 'None' ? { cells } : { cells, object: include === 'Object' ? object : partial };
  });
  const { resourceVersion, continue: next, remainingItemCount } = metadata;
  const columnDefinitions = columns.map(({ cell: _, ...column }) => ({ format: '', ...column }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion, ...(next ? { continue: next, remainingItemCount } : {}) },
    columnDefinitions: withColumns ? columnDefinitions : null,
    rows,
  };
}

/** A column whose cell is what a JSONPath finds, or of type `date` how long ago that was. */
function column(name: string, path: string | Cell, { type = 'string', priority = 0, description = '' } = {}) {
  const found = (object: Stored) => first(object, String(path)) ?? null;
  const cell: Cell = typeof path === 'function' ? path : type === 'date' ? since(path) : found;
  return { name, type, priority, description, cell };
}

const NAME = { ...column('Name', '.metadata.name'), format: 'name' };
const AGE = column('Age', '.metadata.creationTimestamp', { type: 'date' });

function columnsOf({ resource }: Call): ReturnType<typeof column>[] {
  const defined = resource.columns?.map(({ name, jsonPath, ...more }) => column(name, jsonPath, more));
  if (defined) return [NAME, ...defined];
  const key = groupResource(resource);
  const between = Object.entries(TABLES[key] ?? {}).map(([name, cell]) => column(name, cell));
  return key === 'events' ? between : [NAME, ...between, AGE];
}

function since(...paths: string[]): Cell {
  return (object, now) => {
    const time = paths.map((path) => first(object, path)).find(Boolean);
    return time ? age(now.getTime() - Date.parse(String(time))) : '<unknown>';
  };
}

const UNITS: [unit: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** How long `ms` is as Kubernetes prints it: the largest unit, and the next one while the first is small. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const at =
    seconds < 120 ? 3 : UNITS.findIndex(([, size]) => seconds >= size * (size === 60 ? 1 : size === 3600 ? 3 : 2));
  const [unit, size] = UNITS[at] ?? ['s', 1];
  const [smaller, part] = UNITS[at + 1] ?? ['', 1];
  const count = Math.floor(seconds / size);
  const rest = Math.floor((seconds % size) / part);
  return smaller && rest > 0 && count < (unit === 'm' ? 10 : 8)
    ? `${count}${unit}${rest}${smaller}`
    : `${count}${unit}`;
}

interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: Record<string, { reason?: string }>;
}

const containers = (object: Stored): ContainerStatus[] =>
  ['initContainerStatuses', 'containerStatuses'].flatMap((list) =>
    find(object, `.status.${list}[*]`),
  ) as ContainerStatus[];

function podStatus(object: Stored): unknown {
  if (object.metadata.deletionTimestamp) return 'Terminating';
  const reasons = containers(object).map(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason);
  return reasons.find((reason) => reason && reason !== 'Completed') ?? first(object, '.status.phase');
}

/** Of the containers that stay: sidecars and those of the pod itself. */
function podReady(object: Stored): string {
  const sidecars = find(object, '.spec.initContainers[?(@.restartPolicy=="Always")].name');
  const wanted = [...sidecars, ...find(object, '.spec.containers[*].name')];
  return `${containers(object).filter(({ ready, name }) => ready && wanted.includes(name)).length}/${wanted.length}`;
}

const terminatingOr =
  (path: string): Cell =>
  (object) =>
    object.metadata.deletionTimestamp ? 'Terminating' : first(object, path);
const entries =
  (path: string): Cell =>
  (object) =>
    Object.keys((first(object, path) ?? {}) as object).length;
const of = (object: Stored, path: string): string => String(first(object, path) ?? '');

const roleOf: Cell = (object) => `${of(object, '.roleRef.kind')}/${of(object, '.roleRef.name')}`;

/** What built-in kinds show between name and age. */
const TABLES: Record<string, Record<string, string | Cell>> = {
  pods: {
    Ready: podReady,
    Status: podStatus,
    Restarts: (object) => containers(object).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
  },
  'deployments.apps': {
    Ready: (object) => `${of(object, '.status.readyReplicas') || 0}/${of(object, '.spec.replicas')}`,
    'Up-to-date': (object) => first(object, '.status.updatedReplicas') ?? 0,
    Available: (object) => first(object, '.status.availableReplicas') ?? 0,
  },
  persistentvolumeclaims: {
    Status: terminatingOr('.status.phase'),
    Volume: '.spec.volumeName',
    Capacity: '.status.capacity.storage',
    'Access Modes': (object) =>
      find(object, '.status.accessModes[*]')
        .map((mode) => String(mode).replace('Many', 'X').replace(/[a-z]/g, ''))
        .join(','),
    StorageClass: '.spec.storageClassName',
  },
  events: {
    'Last Seen': since('.series.lastObservedTime', '.lastTimestamp', '.eventTime', '.metadata.creationTimestamp'),
    Type: '.type',
    Reason: '.reason',
    Object: (object) => `${of(object, '.involvedObject.kind').toLowerCase()}/${of(object, '.involvedObject.name')}`,
    Message: '.message',
  },
  namespaces: { Status: '.status.phase' },
  nodes: {
    Status: (object) =>
      first(object, '.status.conditions[?(@.type=="Ready")].status') === 'True' ? 'Ready' : 'NotReady',
    Version: '.status.nodeInfo.kubeletVersion',
  },
  secrets: { Type: '.type', Data: entries('.data') },
  configmaps: { Data: entries('.data') },
  'rolebindings.rbac.authorization.k8s.io': { Role: roleOf },
  'clusterrolebindings.rbac.authorization.k8s.io': { Role: roleOf },
};
