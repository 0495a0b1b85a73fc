/** What the server says it serves: versions, groups and their resources, in the form every kubectl understands. */
import { openApi } from './openapi.ts';
import type { Registry, Resource } from './resources.ts';

type Json = Record<string, unknown>;

const VERSION = {
  ...{ major: '1', minor: '37', gitVersion: 'v1.37.0+tiny.standin' },
  platform: `${process.platform}/${process.arch}`,
};

const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** The answer for a path that is no resource; `undefined` where there is none. */
export function discovery(path: string, registry: Registry): Json | string | undefined {
  if (HEALTH.has(path)) return 'ok';
  if (path === '/version') return VERSION;
  const [root, ...parts] = path.split('/').filter(Boolean);
  if (root === 'openapi') return openApi(path, registry);
  if (root === 'api' && parts.length === 0) return { kind: 'APIVersions', versions: ['v1'] };
  if (root === 'api') return resourcesOf('', parts.join('/'), registry);
  return root === 'apis' ? groups(parts, registry) : undefined;
}

function groups([group, version]: string[], registry: Registry): Json | undefined {
  if (group && version) return resourcesOf(group, version, registry);
  const byName = Map.groupBy(registry.all(), (each) => each.group);
  const all = [...byName].filter(([name]) => name).map(([name, resources]) => groupOf(name, resources));
  if (!group) return { kind: 'APIGroupList', apiVersion: 'v1', groups: all };
  const found = all.find(({ name }) => name === group);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...found };
}

function groupOf(name: string, resources: Resource[]) {
  const all = [...new Set(resources.map(({ version }) => version))];
  const versions = all.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourcesOf(group: string, version: string, registry: Registry): Json | undefined {
  const here = registry.all().filter((each) => each.group === group && each.version === version);
  const groupVersion = group ? `${group}/${version}` : version;
  if (here.length === 0) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: here.flatMap(entries) };
}

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCES: Record<string, Json> = {
  status: { verbs: ['get', 'patch', 'update'] },
  log: { verbs: ['get'] },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] },
};

function entries(resource: Resource): Json[] {
  const { plural, singular, namespaced, kind, shortNames, categories, subresources, review } = resource;
  const verbs = review ? ['create'] : VERBS;
  const below = subresources.map((name) => {
    return { name: `${plural}/${name}`, singularName: '', namespaced, kind, ...SUBRESOURCES[name] };
  });
  return [{ name: plural, singularName: singular, namespaced, kind, verbs, shortNames, categories }, ...below];
}
