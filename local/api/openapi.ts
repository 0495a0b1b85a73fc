/**
 * OpenAPI v3, as much as kubectl reads: the schemas for `kubectl explain`, and for each kind the word that patches
 * understand `fieldValidation` and `dryRun`. Built-in kinds are named without their fields.
 */
import type { Registry, Resource } from './resources.ts';

type Json = Record<string, unknown>;

const ROOT = '/openapi/v3';

export function openApi(path: string, registry: Registry): Json | undefined {
  const places = new Set(registry.all().map(placeOf));
  if (path === ROOT) {
    const entries = [...places].map((place) => [place, { serverRelativeURL: `${ROOT}/${place}` }]);
    return { paths: Object.fromEntries(entries) };
  }
  const place = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : '';
  return places.has(place) ? document(registry.all().filter((each) => placeOf(each) === place)) : undefined;
}

const placeOf = ({ group, version }: Resource): string => (group ? `apis/${group}/${version}` : `api/${version}`);

function document(resources: Resource[]): Json {
  return {
    openapi: '3.0.0',
    info: { title: 'tiny: the stand-in for Kubernetes', version: '1' },
    paths: Object.fromEntries(resources.map((each) => [pathOf(each), { patch: operation(each) }])),
    components: {
      schemas: { ...Object.fromEntries(resources.map((each) => [schemaName(each), schema(each)])), ObjectMeta },
    },
  };
}

const pathOf = (resource: Resource): string =>
  `/${placeOf(resource)}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}/{name}`;

const schemaName = ({ group, version, kind }: Resource): string =>
  [...group.split('.').reverse().filter(Boolean), version, kind].join('.');

const kindOf = ({ group, version, kind }: Resource) => ({ group, version, kind });

const operation = (resource: Resource): Json => ({
  'x-kubernetes-action': 'patch',
  'x-kubernetes-group-version-kind': kindOf(resource),
  parameters: ['fieldValidation', 'dryRun'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
  responses: { 200: { description: 'OK' } },
});

const text = (description: string) => ({ type: 'string', description });

const ObjectMeta = {
  type: 'object',
  description: 'What all objects carry.',
  properties: { name: text('The name, unique in its namespace.'), namespace: text('The namespace.') },
};

function schema(resource: Resource): Json {
  const own = resource.schema ?? {
    type: 'object',
    description: `${resource.kind}, as in Kubernetes; the stand-in has no list of its fields.`,
  };
  const properties = {
    apiVersion: text('Group and version of the API.'),
    kind: text('The kind of object.'),
    ...(own.properties as Json | undefined),
    metadata: { allOf: [{ $ref: '#/components/schemas/ObjectMeta' }], description: 'Standard metadata.', default: {} },
  };
  return { ...own, properties, 'x-kubernetes-group-version-kind': [kindOf(resource)] };
}
