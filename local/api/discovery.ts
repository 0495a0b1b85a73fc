/** What the server says it serves: versions, groups and their resources, in the form every kubectl understands. */
import { groupResource } from './errors.ts';
import { openApi } from './openapi.ts';
import type { Registry, Resource } from './resources.ts';

type Json = Record<string, unknown>;

/** The reviews that are answered and never stored. */
const REVIEWS: [group: string, kind: string, namespaced: boolean][] = [
  ['authentication.k8s.io', 'TokenReview', false],
  ['authentication.k8s.io', 'SelfSubjectReview', false],
  ['authorization.k8s.io', 'SelfSubjectAccessReview', false],
  ['authorization.k8s.io', 'SelfSubjectRulesReview', false],
  ['authorization.k8s.io', 'SubjectAccessReview', false],
  ['authorization.k8s.io', 'LocalSubjectAccessReview', true],
];

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The version that the server says it has. */
export const VERSION = {
  major: '1',
  minor: '37',
  gitVersion: 'v1.37.0+tiny.standin',
  platform: `${process.platform}/${process.arch}`,
};

/** The answer for a path that is no resource; `undefined` where there is none. */
export function discovery(path: string, registry: Registry): Json | string | undefined {
  const fixed: Record<string, () => Json | string> = {
    '/healthz': () => 'ok',
    '/livez': () => 'ok',
    '/readyz': () => 'ok',
    '/version': () => VERSION,
    '/api': () => ({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }),
    '/apis': () => ({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groupNames(registry).map((name) => groupOf(registry, name)),
    }),
  };
  const text = path.length > 1 ? path.replace(/\/$/, '') : path;
  return (
    (Object.hasOwn(fixed, text) ? fixed[text]?.() : undefined) ?? ofGroup(text, registry) ?? openApi(text, registry)
  );
}

function groupNames(registry: Registry): string[] {
  const names = [...registry.all().map(({ group }) => group), ...REVIEWS.map(([group]) => group)];
  return [...new Set(names)].filter(Boolean);
}

function groupOf(registry: Registry, name: string): Json {
  const found = registry
    .all()
    .filter(({ group }) => group === name)
    .map(({ version }) => version);
  const versions = [...new Set(found.length > 0 ? found : ['v1'])].map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

function ofGroup(path: string, registry: Registry): Json | undefined {
  const [, root, ...rest] = path.split('/');
  const [group, version, more] = root === 'api' ? ['', ...rest] : rest;
  if ((root !== 'api' && root !== 'apis') || more !== undefined || group === undefined) return undefined;
  if (!version)
    return groupNames(registry).includes(group)
      ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(registry, group) }
      : undefined;
  const resources = [
    ...registry
      .all()
      .filter((each) => each.group === group && each.version === version)
      .flatMap(entries),
    ...reviews(group, version),
  ];
  if (resources.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group ? `${group}/${version}` : version,
    resources,
  };
}

function entries(resource: Resource): Json[] {
  const { plural: name, singular: singularName, namespaced, kind, shortNames, categories } = resource;
  const head = {
    name,
    singularName,
    namespaced,
    kind,
    verbs: VERBS,
    shortNames,
    categories,
    storageVersionHash: groupResource(resource),
  };
  return [head, ...resource.subresources.map((subresource) => subresourceEntry(resource, subresource))];
}

function subresourceEntry({ plural, namespaced, kind }: Resource, subresource: string): Json {
  const name = `${plural}/${subresource}`;
  const common = { name, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
  if (subresource === 'log') return { ...common, verbs: ['get'] };
  if (subresource === 'scale') return { ...common, group: 'autoscaling', version: 'v1', kind: 'Scale' };
  if (subresource === 'token') {
    return { ...common, group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] };
  }
  return common;
}

function reviews(group: string, version: string): Json[] {
  const found = version === 'v1' ? REVIEWS.filter(([of]) => of === group) : [];
  return found.map(([, kind, namespaced]) => {
    const singularName = kind.toLowerCase();
    return { name: `${singularName}s`, singularName, namespaced, kind, verbs: ['create'] };
  });
}
