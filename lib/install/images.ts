/** Takes tiny's own images from another registry. Pure. */
import type { KubeObject } from '../api/meta.ts';

/** What tiny's own images are called as long as nobody says where they are. */
const OWN = 'tiny.dev/';

/** `object` with every image of tiny's own under `registry` (`registry.example/team`) instead. */
export function withRegistry<T extends KubeObject>(object: T, registry: string): T {
  const prefix = `${registry.replace(/\/+$/, '')}/`;
  return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    key === 'image' && typeof value === 'string' && value.startsWith(OWN) ? prefix + value.slice(OWN.length) : value,
  ) as T;
}
