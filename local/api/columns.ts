/** The columns of `kubectl get` for built-in kinds, as JSONPaths where one will do. */
import type { Stored } from '../types.ts';
import { age } from './age.ts';
import { find, first } from './jsonpath.ts';

export interface Column {
  name: string;
  type: string;
  description?: string;
  /** Above 0: shown with `-o wide` alone. */
  priority?: number;
  cell: (object: Stored, now: Date) => unknown;
}

type Cell = string | Column['cell'];

const column = (name: string, cell: Cell, more: Partial<Column> = {}): Column => ({
  name,
  type: 'string',
  cell: typeof cell === 'string' ? (object) => first(object, cell) ?? '' : cell,
  ...more,
});

const since =
  (...paths: string[]): Column['cell'] =>
  (object, now) => {
    const time = paths.map((path) => first(object, path)).find((value) => value);
    return time ? age(now.getTime() - Date.parse(String(time))) : '<unknown>';
  };

const count =
  (path: string): Column['cell'] =>
  (object) =>
    Object.keys((first(object, path) as object | undefined) ?? {}).length;
const number =
  (path: string): Column['cell'] =>
  (object) =>
    first(object, path) ?? 0;
const joined =
  (path: string): Column['cell'] =>
  (object) =>
    find(object, path).join(',');
const wide = { priority: 1 };

const NAME = column('Name', '.metadata.name', { format: 'name' } as Partial<Column>);
export const AGE = column('Age', since('.metadata.creationTimestamp'));

type Container = { name: string; ready?: boolean; restartCount?: number; state?: Record<string, { reason?: string }> };

const containers = (object: Stored): Container[] =>
  ['.status.initContainerStatuses[*]', '.status.containerStatuses[*]'].flatMap((path) =>
    find(object, path),
  ) as Container[];

function podStatus(object: Stored): string {
  if (object.metadata.deletionTimestamp) return 'Terminating';
  const waiting = containers(object).map(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason);
  return waiting.find((reason) => reason && reason !== 'Completed') ?? String(first(object, '.status.phase') ?? '');
}

/** Containers that stay: sidecars and those of the pod itself. */
function readyContainers(object: Stored): string {
  const sidecars = find(object, '.spec.initContainers[?(@.restartPolicy=="Always")].name');
  const wanted = [...sidecars, ...find(object, '.spec.containers[*].name')];
  const ready = containers(object).filter((each) => each.ready && wanted.includes(each.name));
  return `${ready.length}/${wanted.length}`;
}

const restarts = (object: Stored): number =>
  containers(object).reduce((sum, each) => sum + (each.restartCount ?? 0), 0);

const claimStatus = (object: Stored): unknown =>
  object.metadata.deletionTimestamp ? 'Terminating' : (first(object, '.status.phase') ?? 'Pending');

const involved = (object: Stored): string =>
  `${String(first(object, '.involvedObject.kind') ?? '').toLowerCase()}/${first(object, '.involvedObject.name') ?? ''}`;

const readyOf = (object: Stored): string =>
  `${first(object, '.status.readyReplicas') ?? 0}/${first(object, '.spec.replicas') ?? 0}`;

const MODES: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const role = (object: Stored): string => `${first(object, '.roleRef.kind')}/${first(object, '.roleRef.name')}`;
const bindings = [NAME, column('Role', role), AGE];

const TABLES: Record<string, Column[]> = {
  pods: [
    NAME,
    column('Ready', readyContainers),
    column('Status', podStatus),
    column('Restarts', restarts),
    AGE,
    column('IP', '.status.podIP', wide),
    column('Node', '.spec.nodeName', wide),
  ],
  'deployments.apps': [
    NAME,
    column('Ready', readyOf),
    column('Up-to-date', number('.status.updatedReplicas')),
    column('Available', number('.status.availableReplicas')),
    AGE,
    column('Containers', joined('.spec.template.spec.containers[*].name'), wide),
    column('Images', joined('.spec.template.spec.containers[*].image'), wide),
  ],
  persistentvolumeclaims: [
    NAME,
    column('Status', claimStatus),
    column('Volume', '.spec.volumeName'),
    column('Capacity', '.status.capacity.storage'),
    column('Access Modes', (object) =>
      find(object, '.status.accessModes[*]')
        .map((mode) => MODES[String(mode)])
        .join(','),
    ),
    column('StorageClass', '.spec.storageClassName'),
    AGE,
  ],
  events: [
    column(
      'Last Seen',
      since('.series.lastObservedTime', '.lastTimestamp', '.eventTime', '.metadata.creationTimestamp'),
    ),
    column('Type', '.type'),
    column('Reason', '.reason'),
    column('Object', involved),
    column('Message', '.message'),
    column('Name', '.metadata.name', wide),
  ],
  namespaces: [NAME, column('Status', '.status.phase'), AGE],
  secrets: [NAME, column('Type', '.type'), column('Data', count('.data')), AGE],
  configmaps: [NAME, column('Data', count('.data')), AGE],
  nodes: [
    NAME,
    column('Status', (object) =>
      first(object, '.status.conditions[?(@.type=="Ready")].status') === 'True' ? 'Ready' : 'NotReady',
    ),
    AGE,
    column('Version', '.status.nodeInfo.kubeletVersion'),
  ],
  'networkpolicies.networking.k8s.io': [
    NAME,
    column('Pod-Selector', (object) =>
      Object.entries((first(object, '.spec.podSelector.matchLabels') as object | undefined) ?? {})
        .map((pair) => pair.join('='))
        .join(','),
    ),
    AGE,
  ],
  'rolebindings.rbac.authorization.k8s.io': bindings,
  'clusterrolebindings.rbac.authorization.k8s.io': bindings,
  'customresourcedefinitions.apiextensions.k8s.io': [NAME, column('Created At', '.metadata.creationTimestamp')],
};

/** The columns of a built-in kind, by plural and group. */
export const builtInColumns = (key: string): Column[] => TABLES[key] ?? [NAME, AGE];

/** A column that a CustomResourceDefinition defines. */
export function definedColumn(definition: { name: string; type: string; jsonPath: string }): Column {
  const { jsonPath, ...rest } = definition;
  const cell = rest.type === 'date' ? since(jsonPath) : (object: Stored) => first(object, jsonPath) ?? null;
  return { ...rest, cell };
}

/** The first column of every table. */
export const NAME_COLUMN = NAME;
