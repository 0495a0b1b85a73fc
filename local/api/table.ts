/** Tables as the server prints them for `kubectl get`, where the client accepts `application/json;as=Table`. */
import { age } from '../../lib/age.ts';
import { resourceName } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';
import type { Call } from './call.ts';
import { find, first } from './jsonpath.ts';

type Json = Record<string, unknown>;
type Cell = (object: Stored, now: Date) => unknown;

export const wantsTable = ({ headers }: Call): boolean => /as=Table;v=v1;/.test(headers.accept ?? '');

/** An object or a list as a table; an answer that is neither stays as it is. */
export function asTable(call: Call, body: Json, withColumns = true): Json {
  if (body.kind === 'Status') return body;
  const { items = [body as Stored], metadata } = body as { items?: Stored[]; metadata: Json };
  const columns = columnsOf(call);
  const isWhole = call.query.get('includeObject') === 'Object';
  const rows = items.map((object) => {
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
    return { cells: columns.map(({ cell }) => cell(object, call.api.now())), object: isWhole ? object : partial };
  });
  const { resourceVersion, continue: next, remainingItemCount } = metadata;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion, ...(next ? { continue: next, remainingItemCount } : {}) },
    columnDefinitions: withColumns ? columns.map(({ cell: _, ...column }) => column) : null,
    rows,
  };
}

/** A column whose cell is what a JSONPath finds, or of type `date` how long ago that was. */
function column(name: string, path: string | Cell, { type = 'string', priority = 0, description = '' } = {}) {
  const found: Cell = (object, now) => {
    const value = first(object, String(path));
    return type === 'date' ? age(value as string | undefined, now) : (value ?? null);
  };
  const format = name === 'Name' ? 'name' : '';
  return { name, type, format, priority, description, cell: typeof path === 'function' ? path : found };
}

function columnsOf({ resource }: Call): ReturnType<typeof column>[] {
  const name = column('Name', '.metadata.name');
  const defined = resource.columns?.map(({ jsonPath, ...more }) => column(more.name, jsonPath, more));
  if (defined) return [name, ...defined];
  const between = Object.entries(TABLES[resourceName(resource)] ?? {}).map(([each, cell]) => column(each, cell));
  return [name, ...between, column('Age', '.metadata.creationTimestamp', { type: 'date' })];
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

const orTerminating =
  (status: Cell): Cell =>
  (object, now) =>
    object.metadata.deletionTimestamp ? 'Terminating' : status(object, now);

function podStatus(object: Stored): unknown {
  const reasons = containers(object).map(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason);
  return reasons.find((reason) => reason && reason !== 'Completed') ?? first(object, '.status.phase');
}

/** Of the containers that stay: sidecars and those of the pod itself. */
function podReady(object: Stored): string {
  const sidecars = find(object, '.spec.initContainers[?(@.restartPolicy=="Always")].name');
  const wanted = [...sidecars, ...find(object, '.spec.containers[*].name')];
  return `${containers(object).filter(({ ready, name }) => ready && wanted.includes(name)).length}/${wanted.length}`;
}

const count =
  (path: string): Cell =>
  (object) =>
    Object.keys((first(object, path) ?? {}) as object).length;

/** What built-in kinds show between name and age. */
const TABLES: Record<string, Record<string, string | Cell>> = {
  pods: {
    Ready: podReady,
    Status: orTerminating(podStatus),
    Restarts: (object) => containers(object).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
  },
  'deployments.apps': {
    Ready: (object) => `${first(object, '.status.readyReplicas') ?? 0}/${first(object, '.spec.replicas')}`,
    Available: (object) => first(object, '.status.availableReplicas') ?? 0,
  },
  persistentvolumeclaims: {
    Status: orTerminating((object) => first(object, '.status.phase')),
    Capacity: '.status.capacity.storage',
  },
  events: { Type: '.type', Reason: '.reason', Message: '.message' },
  namespaces: { Status: '.status.phase' },
  secrets: { Type: '.type', Data: count('.data') },
  configmaps: { Data: count('.data') },
};
