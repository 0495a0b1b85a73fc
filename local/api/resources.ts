/**
 * Which resources the stand-in serves: the built-in kinds that tiny uses, a few of Knative's without a schema, and
 * whatever a CustomResourceDefinition adds. What isn't here is answered with 404.
 */
import type { Stored } from '../types.ts';
import { type About, groupResource } from './errors.ts';
import type { Store } from './store.ts';

/** A printer column of a CustomResourceDefinition. */
export interface ColumnDefinition {
  name: string;
  type: string;
  jsonPath: string;
  description?: string;
  priority?: number;
}

export interface Resource extends About {
  version: string;
  singular: string;
  namespaced: boolean;
  shortNames: string[];
  categories: string[];
  /** Subresources: `status`, `scale`, `log`, `token`. */
  subresources: string[];
  /** Fields that a selector may name, besides name and namespace. */
  selectable: string[];
  /** Printer columns, where they are not built in. */
  columns?: ColumnDefinition[];
  /** An OpenAPI v3 schema, where a CustomResourceDefinition brought one. */
  schema?: Record<string, unknown>;
  /** Whether a change of the spec counts in `metadata.generation`. */
  generation: boolean;
}

type Options = Partial<Resource>;

function resource(apiVersion: string, kind: string, options: Options = {}): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  const lists = { shortNames: [], categories: [], subresources: [], selectable: [] };
  return { group, version, kind, singular, plural, namespaced: true, generation: false, ...lists, ...options };
}

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'fieldPath'].map(
  (field) => `involvedObject.${field}`,
);

const ready = (...more: [name: string, jsonPath: string][]): ColumnDefinition[] => [
  ...more.map(([name, jsonPath]) => ({ name, type: 'string', jsonPath })),
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

function knative(apiVersion: string, kind: string, options: Options = {}): Resource {
  const all = { categories: ['all', 'knative'], subresources: ['status'], generation: true, columns: ready() };
  return resource(apiVersion, kind, { ...all, ...options });
}

const cluster = { namespaced: false };
const all = { categories: ['all'] };
const RBAC = 'rbac.authorization.k8s.io/v1';

const BUILT_IN: Resource[] = [
  resource('v1', 'Namespace', {
    ...cluster,
    shortNames: ['ns'],
    subresources: ['status'],
    selectable: ['status.phase'],
  }),
  resource('v1', 'Node', { ...cluster, shortNames: ['no'], subresources: ['status'] }),
  resource('v1', 'ConfigMap', { shortNames: ['cm'] }),
  resource('v1', 'Secret', { selectable: ['type'] }),
  resource('v1', 'ServiceAccount', { shortNames: ['sa'], subresources: ['token'] }),
  resource('v1', 'PersistentVolumeClaim', { shortNames: ['pvc'], subresources: ['status'] }),
  resource('v1', 'Pod', {
    ...all,
    shortNames: ['po'],
    subresources: ['status', 'log'],
    selectable: ['status.phase', 'spec.nodeName', 'spec.serviceAccountName'],
    generation: true,
  }),
  resource('v1', 'Service', { ...all, shortNames: ['svc'] }),
  resource('v1', 'Event', { shortNames: ['ev'], selectable: [...INVOLVED, 'reason', 'type', 'source'] }),
  resource('v1', 'ResourceQuota', { shortNames: ['quota'], subresources: ['status'] }),
  resource('v1', 'LimitRange', { shortNames: ['limits'] }),
  resource('apps/v1', 'Deployment', {
    ...all,
    shortNames: ['deploy'],
    subresources: ['status', 'scale'],
    generation: true,
  }),
  resource('networking.k8s.io/v1', 'NetworkPolicy', { shortNames: ['netpol'], generation: true }),
  resource(RBAC, 'Role'),
  resource(RBAC, 'RoleBinding'),
  resource(RBAC, 'ClusterRole', cluster),
  resource(RBAC, 'ClusterRoleBinding', cluster),
  resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    ...cluster,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    generation: true,
  }),
  knative('sources.knative.dev/v1', 'ApiServerSource', { categories: ['all', 'knative', 'sources'] }),
  knative('sources.knative.dev/v1', 'PingSource', {
    categories: ['all', 'knative', 'sources'],
    columns: ready(['Sink', '.status.sinkUri'], ['Schedule', '.spec.schedule']),
  }),
  knative('eventing.knative.dev/v1', 'Broker', { columns: ready(['URL', '.status.address.url']) }),
  knative('eventing.knative.dev/v1', 'Trigger', {
    columns: ready(['Broker', '.spec.broker'], ['Subscriber_URI', '.status.subscriberUri']),
  }),
  knative('serving.knative.dev/v1', 'Service', {
    shortNames: ['kservice', 'ksvc'],
    columns: ready(['URL', '.status.url'], ['LatestReady', '.status.latestReadyRevisionName']),
  }),
];

/** Where CustomResourceDefinitions are stored. */
export const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

/** `spec` of a CustomResourceDefinition, as far as it is read. */
export interface CrdSpec {
  group: string;
  names: {
    kind: string;
    plural: string;
    singular?: string;
    listKind?: string;
    shortNames?: string[];
    categories?: string[];
  };
  scope: string;
  versions: CrdVersion[];
}

interface CrdVersion {
  name: string;
  served: boolean;
  schema?: { openAPIV3Schema?: Record<string, unknown> };
  subresources?: { status?: unknown };
  additionalPrinterColumns?: ColumnDefinition[];
  selectableFields?: { jsonPath: string }[];
}

function custom(crd: Stored): Resource[] {
  const { group, names, scope, versions } = crd.spec as CrdSpec;
  return versions
    .filter(({ served }) => served)
    .map((version) => {
      const { openAPIV3Schema: schema } = version.schema ?? {};
      return {
        ...resource(`${group}/${version.name}`, names.kind),
        plural: names.plural,
        singular: names.singular ?? names.kind.toLowerCase(),
        namespaced: scope === 'Namespaced',
        shortNames: names.shortNames ?? [],
        categories: names.categories ?? [],
        subresources: version.subresources?.status ? ['status'] : [],
        selectable: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
        columns: version.additionalPrinterColumns ?? [
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        generation: true,
        ...(schema && { schema }),
      };
    });
}

/** What is served now. A CustomResourceDefinition counts from the moment it is stored. */
export class Registry {
  readonly #store: Store;
  #custom: Resource[];

  constructor(store: Store) {
    this.#store = store;
    this.#custom = this.#read();
    store.listen(({ resource: changed }) => {
      if (changed === CRDS) this.#custom = this.#read();
    });
  }

  all(): Resource[] {
    return [...BUILT_IN, ...this.#custom];
  }

  find({ group, version, plural }: { group: string; version: string; plural: string }): Resource | undefined {
    return this.all().find((each) => each.group === group && each.version === version && each.plural === plural);
  }

  /** By where it is stored: `sessions.tiny.dev`. */
  stored(key: string): Resource | undefined {
    return this.all().find((each) => groupResource(each) === key);
  }

  #read(): Resource[] {
    return this.#store.list(CRDS).flatMap(custom);
  }
}
