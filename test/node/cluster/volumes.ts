/**
 * A stand-in for a provisioner of volumes: each claim gets a fresh folder of the node as a `local` volume, which the
 * real binder binds and the real kubelet mounts (with its fsGroup, which hostPath would not have).
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, Stored } from '../../../lib/api/meta.ts';
import { CLAIMS, type Client, type ResourceType } from '../../../lib/kube/types.ts';
import { follow, type Part, type World } from '../../../local/controllers/loop.ts';
import { NODE } from './node.ts';

const VOLUMES: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
};

type Claim = Stored<KubeObject & { spec: { accessModes: string[]; resources: { requests: { storage: string } } } }>;

function volumeOf({ metadata, spec }: Claim, path: string): KubeObject {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `claim-${uid}` },
    spec: {
      capacity: spec.resources.requests,
      accessModes: spec.accessModes,
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE] }] },
          ],
        },
      },
    },
  } as KubeObject;
}

async function provide(client: Client, claim: Claim, path: string): Promise<void> {
  mkdirSync(path, { recursive: true });
  await client.apply(VOLUMES, volumeOf(claim, path));
}

async function remove(client: Client, { metadata }: Claim, path: string): Promise<void> {
  await client.delete(VOLUMES, { name: `claim-${metadata.uid}` });
  rmSync(path, { recursive: true, force: true });
}

/** Runs until stopped. The volumes are in `folder`. */
export function startProvisioner(world: World, folder: string): Part {
  const ending = new AbortController();
  const following = follow(world, CLAIMS as ResourceType<Claim>, {
    signal: ending.signal,
    changed: (claim, type) => {
      const path = join(folder, claim.metadata.uid);
      return type === 'DELETED' ? remove(world.client, claim, path) : provide(world.client, claim, path);
    },
  });
  const stop = async () => {
    ending.abort();
    await following;
  };
  return { stop };
}
