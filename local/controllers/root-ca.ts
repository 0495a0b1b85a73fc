/** Each namespace gets the ConfigMap `kube-root-ca.crt`, as the controller manager does it: pods trust the API server by it. */
import type { KubeObject } from '../../lib/api/meta.ts';
import type { Ref, ResourceType } from '../../lib/kube/types.ts';
import { CONFIG_MAPS } from '../node/pod.ts';
import { follow, type Part, startController, type World } from './loop.ts';

const NAMESPACES: ResourceType<KubeObject> = {
  ...CONFIG_MAPS,
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
} as ResourceType;
const NAME = 'kube-root-ca.crt';

/** Runs until stopped. `caPem`: the authority that signed the API server's certificate. */
export function startRootCa(world: World, caPem: string): Part {
  const publish = async ({ name: namespace }: Ref) => {
    const now = await world.client.get(NAMESPACES, { name: namespace });
    if (!now || now.metadata.deletionTimestamp) return;
    const data = { 'ca.crt': caPem };
    await world.client.apply(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: NAME, namespace },
      data,
    });
  };
  return startController(world, publish, (signal, add) => [
    follow(world, NAMESPACES, { signal, changed: ({ metadata }) => add(metadata) }),
  ]);
}
