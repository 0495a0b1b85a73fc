/**
 * Which resources the stand-in serves: the built-in kinds that tiny uses, a few of Knative's without a schema, and
 * whatever a CustomResourceDefinition adds. What isn't here is answered with 404.
 */
import { resourceName } from '../../lib/kube/path.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import { builtInKeys, crdKeys, type ListKeys } from '../apply/list-keys.ts';
import type { Stored } from '../types.ts';
import { type Column, CRDS, type CrdSpec, type Schema } from './schema.ts';
import type { Store } from './store.ts';

export interface Resource extends Omit<ResourceType, 'object'> {
  singular: string;
  shortNames: string[];
  categories: string[];
  /** `status`, `log`, `attach`, `token`. */
  subresources: string[];
  /** Fields that a selector may name, besides name and namespace. */
  selectable: string[];
  /** How lists are merged. */
  keys: ListKeys;
  /** Whether it is answered at once and not kept. */
  review?: true;
  /** Whether it is no kind of Kubernetes' own, which strategic merge patch is for. */
  custom?: true;
  /** Printer columns, where they are not built in. */
  columns?: Column[];
  /** An OpenAPI v3 schema, where a CustomResourceDefinition brought one. */
  schema?: Schema;
}

function kind(of: string, name: string, options: Partial<Resource> = {}): Resource {
  const [version = '', group = ''] = of.split('/').reverse();
  const singular = name.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  const lists = { shortNames: [], categories: [], subresources: [], selectable: [], keys: builtInKeys };
  return { group, version, kind: name, singular, plural, namespaced: true, ...lists, ...options };
}

const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const ready = (name: string, field: string): Column => {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=="Ready")].${field}` };
};

const knative = (group: string, name: string, shortNames: string[] = []): Resource =>
  kind(`${group}.knative.dev/v1`, name, {
    ...{ shortNames, subresources: ['status'], custom: true },
    columns: [ready('Ready', 'status'), ready('Reason', 'reason'), AGE],
  });

const cluster = { namespaced: false };
const status = { subresources: ['status'] };
const review = { namespaced: false, review: true } as const;
const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'fieldPath'].map((it) => `involvedObject.${it}`);

const BUILT_IN: Resource[] = [
  kind('v1', 'Namespace', { ...cluster, ...status, shortNames: ['ns'] }),
  kind('v1', 'ConfigMap', { shortNames: ['cm'] }),
  kind('v1', 'Secret', { selectable: ['type'] }),
  kind('v1', 'ServiceAccount', { shortNames: ['sa'], subresources: ['token'] }),
  kind('v1', 'PersistentVolumeClaim', { ...status, shortNames: ['pvc'] }),
  kind('v1', 'Pod', {
    ...{ categories: ['all'], shortNames: ['po'], subresources: ['status', 'log', 'attach'] },
    selectable: ['status.phase', 'spec.nodeName', 'spec.serviceAccountName'],
  }),
  kind('v1', 'Event', { shortNames: ['ev'], selectable: [...involved, 'reason', 'type'] }),
  kind('apps/v1', 'Deployment', { ...status, categories: ['all'], shortNames: ['deploy'] }),
  kind('networking.k8s.io/v1', 'NetworkPolicy', { shortNames: ['netpol'] }),
  ...['Role', 'RoleBinding'].map((name) => kind('rbac.authorization.k8s.io/v1', name)),
  ...['ClusterRole', 'ClusterRoleBinding'].map((name) => kind('rbac.authorization.k8s.io/v1', name, cluster)),
  kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { ...cluster, ...status, shortNames: ['crd', 'crds'] }),
  kind('authentication.k8s.io/v1', 'SelfSubjectReview', review),
  ...['SelfSubjectAccessReview', 'SelfSubjectRulesReview'].map((name) => kind('authorization.k8s.io/v1', name, review)),
  knative('sources', 'ApiServerSource'),
  knative('sources', 'PingSource'),
  knative('eventing', 'Broker'),
  knative('eventing', 'Trigger'),
  knative('serving', 'Service', ['kservice', 'ksvc']),
];

function servedBy(crd: Stored): Resource[] {
  const { group, names, scope, versions } = crd.spec as CrdSpec;
  const { kind: name, ...named } = names;
  return versions.map((version) => {
    const schema = version.schema.openAPIV3Schema as Schema;
    return kind(`${group}/${version.name}`, name, {
      ...{ ...named, schema, custom: true, keys: crdKeys(schema), namespaced: scope === 'Namespaced' },
      subresources: version.subresources?.status ? ['status'] : [],
      selectable: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
      columns: version.additionalPrinterColumns ?? [AGE],
    });
  });
}

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
    return this.#all.find((each) => resourceName(each) === key);
  }

  #read(): void {
    this.#all = [...BUILT_IN, ...this.#store.list(CRDS).flatMap(servedBy)];
  }
}
