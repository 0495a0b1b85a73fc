/** Each namespace gets the ConfigMap `kube-root-ca.crt`, as the controller manager does it: pods trust the API server by it. */
import type { KubeObject } from '../../lib/api/meta.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import { CONFIG_MAPS, type Data } from '../node/pod.ts';
import { follow, makeQueue, type Part, type World } from './loop.ts';

const NAMESPACES: ResourceType<KubeObject> = {
  ...CONFIG_MAPS,
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
} as ResourceType;
const NAME = 'kube-root-ca.crt';

/** Runs until stopped. `caPem`: the authority that signed the API server's certificate. */
export function startRootCa(world: World, caPem: string): Part {
  const ending = new AbortController();
  const { signal } = ending;
  const publish = async ({ name: namespace }: { name: string }) => {
    const namespaceNow = await world.client.get(NAMESPACES, { name: namespace });
    if (!namespaceNow || namespaceNow.metadata.deletionTimestamp) return;
    const object: Data = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: NAME, namespace },
      data: { 'ca.crt': caPem },
    };
    await world.client.apply(CONFIG_MAPS, object);
  };
  const queue = makeQueue(world, signal, publish);
  const following = follow(world, NAMESPACES, { signal, changed: ({ metadata }) => queue.add(`/${metadata.name}`) });
  const stop = async () => {
    ending.abort();
    await Promise.all([following, queue.idle()]);
  };
  return { stop };
}
