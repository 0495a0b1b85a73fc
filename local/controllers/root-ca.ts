/** Each namespace gets the ConfigMap `kube-root-ca.crt`, as the controller manager does it: pods trust the API server by it. */
import type { Ref, ResourceType } from '../../lib/kube/types.ts';
import { CONFIG_MAPS } from '../node/pod.ts';
import { follow, type Part, startController, type World } from './loop.ts';

const NAMESPACES: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

/** Runs until stopped. `caPem`: the authority that signed the API server's certificate. */
export function startRootCa(world: World, caPem: string): Part {
  const publish = async ({ name: namespace }: Ref) => {
    const found = await world.client.get(NAMESPACES, { name: namespace });
    if (!found || found.metadata.deletionTimestamp) return;
    const metadata = { name: 'kube-root-ca.crt', namespace };
    await world.client.apply(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'ca.crt': caPem } });
  };
  return startController(world, publish, (signal, add) => [
    follow(world, NAMESPACES, { signal, changed: ({ metadata }) => add(metadata) }),
  ]);
}
