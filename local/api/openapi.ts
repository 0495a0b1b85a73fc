/**
 * OpenAPI v3, as much as kubectl reads: the schemas for `kubectl explain`, and for each kind the word that patches
 * understand `fieldValidation` and `dryRun`. Built-in kinds are named without their fields.
 */
import { apiVersion } from '../../lib/kube/path.ts';
import type { Registry, Resource } from './resources.ts';

type Json = Record<string, unknown>;

const ROOT = '/openapi/v3';
/** The older form, as protobuf, where kubectl looks a `List` up: a document that describes nothing has no bytes. */
const NOTHING = '';

/** The index of the documents, or one; `undefined` for another path. */
export function openApi(path: string, registry: Registry): Json | string | undefined {
  if (path === '/openapi/v2') return NOTHING;
  const places = Map.groupBy(registry.all(), placeOf);
  if (path !== ROOT) return document(places.get(path.slice(ROOT.length + 1)));
  const paths = [...places.keys()].map((place) => [place, { serverRelativeURL: `${ROOT}/${place}` }]);
  return { paths: Object.fromEntries(paths) };
}

const placeOf = (resource: Resource): string => `${resource.group ? 'apis' : 'api'}/${apiVersion(resource)}`;

function document(resources: Resource[] | undefined): Json | undefined {
  const path = (each: Resource) =>
    `/${placeOf(each)}/${each.namespaced ? 'namespaces/{namespace}/' : ''}${each.plural}/{name}`;
  const name = ({ group, version, kind }: Resource) =>
    [...group.split('.').reverse(), version, kind].filter(Boolean).join('.');
  return (
    resources && {
      openapi: '3.0.0',
      info: { title: 'tiny: the stand-in for Kubernetes', version: '1' },
      paths: Object.fromEntries(resources.map((each) => [path(each), { patch: operation(each) }])),
      components: { schemas: Object.fromEntries(resources.map((each) => [name(each), schema(each)])) },
    }
  );
}

const kindOf = ({ group, version, kind }: Resource) => ({ group, version, kind });

const operation = (resource: Resource): Json => ({
  'x-kubernetes-action': 'patch',
  'x-kubernetes-group-version-kind': kindOf(resource),
  parameters: ['fieldValidation', 'dryRun'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
});

function schema(resource: Resource): Json {
  const unknown = { type: 'object', description: `${resource.kind}; the stand-in has no list of its fields.` };
  const { properties, ...own } = resource.schema ?? (unknown as Json);
  const text = { type: 'string' };
  const common = { apiVersion: text, kind: text, metadata: { type: 'object', properties: { name: text } } };
  const all = { ...common, ...(properties as Json | undefined) };
  return { ...own, properties: all, 'x-kubernetes-group-version-kind': [kindOf(resource)] };
}
