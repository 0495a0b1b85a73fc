/**
 * Which resources the stand-in serves: the built-in kinds that tiny uses, a few of Knative's without a schema, and
 * whatever a CustomResourceDefinition adds. What isn't here is answered with 404.
 */
import type { Stored } from '../types.ts';
import { type About, groupResource } from './errors.ts';
import { type Column, CRDS, type CrdSpec, type Schema } from './schema.ts';
import type { Store } from './store.ts';

export interface Resource extends About {
  version: string;
  singular: string;
  namespaced: boolean;
  shortNames: string[];
  categories: string[];
  /** `status`, `scale`, `log`, `token`. */
  subresources: string[];
  /** Fields that a selector may name, besides name and namespace. */
  selectable: string[];
  /** Printer columns, where they are not built in. */
  columns?: Column[];
  /** An OpenAPI v3 schema, where a CustomResourceDefinition brought one. */
  schema?: Schema;
  /** Whether a change of the spec counts in `metadata.generation`. */
  generation: boolean;
}

/** `apiVersion` of the resource's objects. */
export const apiVersionOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group ? `${group}/${version}` : version;

function kind(apiVersion: string, name: string, options: Partial<Resource> = {}): Resource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const singular = name.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  const lists = { shortNames: [], categories: [], subresources: [], selectable: [] };
  return { group, version, kind: name, singular, plural, namespaced: true, generation: false, ...lists, ...options };
}

const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const READY = '.status.conditions[?(@.type=="Ready")]';

function knative([group, name]: [string, string], columns: Record<string, string>, more: Partial<Resource> = {}) {
  const paths = { ...columns, Ready: `${READY}.status`, Reason: `${READY}.reason` };
  const defined = Object.entries(paths).map(([column, jsonPath]) => ({ name: column, type: 'string', jsonPath }));
  const common = { categories: ['all', 'knative'], subresources: ['status'], generation: true };
  return kind(`${group}.knative.dev/v1`, name, { ...common, columns: [...defined, AGE], ...more });
}

const cluster = { namespaced: false };
const status = { subresources: ['status'] };
const all = { categories: ['all'] };
const POD_FIELDS = ['status.phase', 'spec.nodeName', 'spec.serviceAccountName'];
const EVENT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'fieldPath'].map(
  (it) => `involvedObject.${it}`,
);

const BUILT_IN: Resource[] = [
  kind('v1', 'Namespace', { ...cluster, ...status, shortNames: ['ns'], selectable: ['status.phase'] }),
  kind('v1', 'Node', { ...cluster, ...status, shortNames: ['no'] }),
  kind('v1', 'ConfigMap', { shortNames: ['cm'] }),
  kind('v1', 'Secret', { selectable: ['type'] }),
  kind('v1', 'ServiceAccount', { shortNames: ['sa'], subresources: ['token'] }),
  kind('v1', 'PersistentVolumeClaim', { ...status, shortNames: ['pvc'] }),
  kind('v1', 'Pod', {
    ...all,
    subresources: ['status', 'log'],
    shortNames: ['po'],
    selectable: POD_FIELDS,
    generation: true,
  }),
  kind('v1', 'Service', { ...all, shortNames: ['svc'] }),
  kind('v1', 'Event', { shortNames: ['ev'], selectable: [...EVENT_FIELDS, 'reason', 'type'] }),
  kind('v1', 'ResourceQuota', { ...status, shortNames: ['quota'] }),
  kind('v1', 'LimitRange', { shortNames: ['limits'] }),
  kind('apps/v1', 'Deployment', {
    ...all,
    subresources: ['status', 'scale'],
    shortNames: ['deploy'],
    generation: true,
  }),
  kind('networking.k8s.io/v1', 'NetworkPolicy', { shortNames: ['netpol'], generation: true }),
  ...['Role', 'RoleBinding'].map((name) => kind('rbac.authorization.k8s.io/v1', name)),
  ...['ClusterRole', 'ClusterRoleBinding'].map((name) => kind('rbac.authorization.k8s.io/v1', name, cluster)),
  kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
    ...cluster,
    ...status,
    shortNames: ['crd', 'crds'],
    generation: true,
  }),
  knative(['sources', 'ApiServerSource'], {}),
  knative(['sources', 'PingSource'], { Schedule: '.spec.schedule' }),
  knative(['eventing', 'Broker'], { URL: '.status.address.url' }),
  knative(['eventing', 'Trigger'], { Broker: '.spec.broker', Subscriber_URI: '.status.subscriberUri' }),
  knative(['serving', 'Service'], { URL: '.status.url' }, { shortNames: ['kservice', 'ksvc'] }),
];

function custom({ group, names, scope }: CrdSpec, version: CrdSpec['versions'][number]): Resource {
  const schema = version.schema?.openAPIV3Schema as Schema | undefined;
  const { kind: name, ...named } = names;
  return kind(`${group}/${version.name}`, name, {
    ...named,
    namespaced: scope === 'Namespaced',
    subresources: version.subresources?.status ? ['status'] : [],
    selectable: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
    columns: version.additionalPrinterColumns ?? [AGE],
    generation: true,
    ...(schema && { schema }),
  });
}

const servedBy = (crd: Stored): Resource[] => {
  const spec = crd.spec as CrdSpec;
  return spec.versions.filter(({ served }) => served).map((version) => custom(spec, version));
};

/** What is served now. A CustomResourceDefinition counts from the moment it is stored. */
export class Registry {
  readonly #store: Store;
  #all: Resource[] = [];

  constructor(store: Store) {
    this.#store = store;
    this.#read();
    store.listen(({ resource }) => resource === CRDS && this.#read());
  }

  all(): readonly Resource[] {
    return this.#all;
  }

  find({ group, version, plural }: Pick<Resource, 'group' | 'version' | 'plural'>): Resource | undefined {
    return this.#all.find((each) => each.group === group && each.version === version && each.plural === plural);
  }

  /** By where it is stored: `sessions.tiny.dev`. */
  stored(key: string): Resource | undefined {
    return this.#all.find((each) => groupResource(each) === key);
  }

  #read(): void {
    this.#all = [...BUILT_IN, ...this.#store.list(CRDS).flatMap(servedBy)];
  }
}
