/** What a Knative Service (serving.knative.dev/v1) says about its function, pure. Defaults are Knative Serving's. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { V1PodSpec } from '@kubernetes/client-node';
import type { Stored } from '../../lib/api/meta.ts';
import type { Ref, ResourceType } from '../../lib/kube/types.ts';
import type { Served } from '../controllers/status.ts';
import type { Pod } from '../node/pod.ts';

export interface Service extends Served {
  spec: { template: { spec: V1PodSpec & { timeoutSeconds?: number } } };
}
export const SERVICES: ResourceType<Service> = {
  group: 'serving.knative.dev',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};

/** What the runner needs to know of a function. */
export interface Wanted {
  /** Not a real object: what the node's code runs. Its uid is the function's name. */
  pod: Pod;
  timeoutMs: number;
}

/** The function, or why there is none. `folder` holds the bundles: image `tiny.dev/function-NAME:TAG` is `NAME.cjs`. */
export function wantedOf({ metadata, spec }: Stored<Service>, folder: string): Wanted | { missing: string } {
  const { timeoutSeconds = 300, ...podSpec } = spec.template.spec;
  const [container] = podSpec.containers;
  const [, image] = /^tiny\.dev\/function-([a-z0-9-]+)[:@]/.exec(container?.image ?? '') ?? [];
  if (!container || !image)
    return { missing: `the stand-in has no image "${container?.image}": it runs tiny.dev/function-NAME:TAG` };
  const bundle = join(folder, `${image}.cjs`);
  if (!existsSync(bundle)) return { missing: `${bundle} is not there: run \`npm run build\`` };
  const { name, namespace = '' } = metadata;
  const containers = [{ ...container, name: 'user-container', command: ['node', bundle] }];
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: name },
    spec: { ...podSpec, containers },
  };
  return { pod, timeoutMs: timeoutSeconds * 1000 };
}

const HOST_OF_SERVICE = /http:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\.cluster\.local/g;

/** What a cluster's name service does: one machine has none, so the names in variables become addresses. */
const resolved = (value: string, address: Address): string =>
  value.replace(HOST_OF_SERVICE, (url, name: string, namespace: string) => address({ name, namespace }) ?? url);

/** Where a function is reached; `undefined` for one that is not there. */
export type Address = (ref: Ref) => string | undefined;

/** The function's pod with where its process is to listen: as one machine has no network of pods, on loopback alone. */
export function podOf({ pod }: Wanted, { port, address }: { port: number; address: Address }): Pod {
  const told = [
    { name: 'PORT', value: String(port) },
    { name: 'HOST', value: '127.0.0.1' },
    { name: 'K_SERVICE', value: pod.metadata.name },
  ];
  const containers = pod.spec.containers.map((one) => ({
    ...one,
    env: [
      ...(one.env ?? []).map((variable) =>
        variable.value === undefined ? variable : { ...variable, value: resolved(variable.value, address) },
      ),
      ...told,
    ],
  }));
  return { ...pod, spec: { ...pod.spec, containers } };
}
