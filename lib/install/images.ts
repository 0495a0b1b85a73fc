/** Takes tiny's own images from another registry. Pure. */
import type { KubeObject } from '../api/meta.ts';

/** What tiny's own images are called as long as nobody says where they are. */
const OWN = 'tiny.dev/';

const bare = (registry: string): string => registry.replace(/\/+$/, '');

/** `object` with every image of tiny's own under `registry` (`registry.example/team`) instead. */
export function withRegistry<T extends KubeObject>(object: T, registry: string): T {
  const prefix = `${bare(registry)}/`;
  return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    key === 'image' && typeof value === 'string' && value.startsWith(OWN) ? prefix + value.slice(OWN.length) : value,
  ) as T;
}

interface Container {
  image: string;
  env?: { name: string; value?: string }[];
}
type Service = KubeObject & { spec: { template: { spec: { containers: Container[] } } } };

/** A function of tiny's own is told where the images are of the pods that it makes; other objects stay as they are. */
export function withRegistryTold(object: KubeObject, registry: string): KubeObject {
  if (object.kind !== 'Service' || !object.apiVersion.startsWith('serving.knative.dev/')) return object;
  const told = { name: 'TINY_REGISTRY', value: bare(registry) };
  const { spec } = object as Service;
  const containers = spec.template.spec.containers.map((one) =>
    one.image.startsWith(OWN) ? { ...one, env: [...(one.env ?? []), told] } : one,
  );
  const template = { ...spec.template, spec: { ...spec.template.spec, containers } };
  return { ...object, spec: { ...spec, template } } as Service;
}
