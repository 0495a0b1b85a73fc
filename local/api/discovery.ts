/** What the server says it serves: versions, groups and their resources, in the form every kubectl understands. */
import { openApi } from './openapi.ts';
import type { Registry, Resource } from './resources.ts';
import { REVIEWS } from './verbs.ts';

type Json = Record<string, unknown>;

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const VERSION = {
  major: '1',
  minor: '37',
  gitVersion: 'v1.37.0+tiny.standin',
  platform: `${process.platform}/${process.arch}`,
};

const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** The answer for a path that is no resource; `undefined` where there is none. */
export function discovery(path: string, registry: Registry): Json | string | undefined {
  if (HEALTH.has(path)) return 'ok';
  if (path === '/version') return VERSION;
  const [root = '', ...parts] = path.split('/').filter(Boolean);
  if (root === 'openapi') return openApi(path, registry);
  if (root === 'api' && parts.length === 0) return core;
  if (root === 'api') return resourcesOf('', parts.join('/'), registry);
  return root === 'apis' ? groups(parts, registry) : undefined;
}

function groups([group, version]: string[], registry: Registry): Json | undefined {
  const names = groupNames(registry);
  if (!group) return { kind: 'APIGroupList', apiVersion: 'v1', groups: names.map((name) => groupOf(name, registry)) };
  if (version) return resourcesOf(group, version, registry);
  return names.includes(group) ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, registry) } : undefined;
}

const core = { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };

const groupNames = (registry: Registry): string[] =>
  [...new Set([...registry.all(), ...REVIEWS].map(({ group }) => group))].filter(Boolean);

function groupOf(name: string, registry: Registry): Json {
  const found = [...registry.all(), ...REVIEWS].filter(({ group }) => group === name);
  const versions = [...new Set(found.map(({ version }) => version))].map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourcesOf(group: string, version: string, registry: Registry): Json | undefined {
  const here = <T extends { group: string; version: string }>(all: readonly T[]) =>
    all.filter((each) => each.group === group && each.version === version);
  const reviews = here(REVIEWS).map(({ kind, plural }) => {
    return {
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced: kind.startsWith('Local'),
      kind,
      verbs: ['create'],
    };
  });
  const resources = [...here(registry.all()).flatMap(entries), ...reviews];
  const groupVersion = group ? `${group}/${version}` : version;
  return resources.length > 0 ? { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources } : undefined;
}

const SUBRESOURCES: Record<string, Json> = {
  log: { verbs: ['get'] },
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] },
};

function entries({ plural, singular, namespaced, kind, shortNames, categories, subresources }: Resource): Json[] {
  const head = { name: plural, singularName: singular, namespaced, kind, verbs: VERBS, shortNames, categories };
  const below = subresources.map((name) => {
    const common = { name: `${plural}/${name}`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
    return { ...common, ...SUBRESOURCES[name] };
  });
  return [head, ...below];
}
