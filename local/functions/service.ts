/** What a Knative Service (serving.knative.dev/v1) says about its function, pure. Defaults are Knative Serving's. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import type { Told } from '../controllers/conditions.ts';
import type { Pod } from '../node/pod.ts';

export interface Service extends KubeObject {
  spec: {
    template: {
      metadata?: { annotations?: Record<string, string>; labels?: Record<string, string> };
      spec: V1PodSpec & { containerConcurrency?: number; timeoutSeconds?: number };
    };
  };
  status?: { conditions?: Told[]; url?: string };
}
export const SERVICES: ResourceType<Service> = {
  group: 'serving.knative.dev',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};

/** What the runner needs to know of a function. Times in milliseconds. */
export interface Wanted {
  name: string;
  bundle: string;
  container: V1Container;
  /** Not a real object: what volumes and environment are made from. */
  pod: Pod;
  /** Requests at a time; 0 is no limit. */
  concurrency: number;
  timeoutMs: number;
  /** How long it is kept beyond the runner's own idle time. */
  retentionMs: number;
}

const RETENTION = 'autoscaling.knative.dev/scale-to-zero-pod-retention-period';
const UNITS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration as Go writes it, in milliseconds. */
export const goDuration = (text: string): number =>
  [...text.matchAll(/([0-9.]+)(ms|h|m|s)/g)].reduce(
    (sum, [, n, unit = 's']) => sum + Number(n) * (UNITS[unit] ?? 0),
    0,
  );

/** The function, or why there is none. `folder` holds the bundles: image `tiny.dev/function-NAME:TAG` is `NAME.cjs`. */
export function wantedOf(service: Stored<Service>, folder: string): Wanted | { missing: string } {
  const { metadata, spec } = service;
  const { containerConcurrency: concurrency = 0, timeoutSeconds = 300, ...podSpec } = spec.template.spec;
  const [container] = podSpec.containers;
  const [, image] = /^tiny\.dev\/function-([a-z0-9-]+)[:@]/.exec(container?.image ?? '') ?? [];
  if (!container || !image)
    return { missing: `the stand-in has no image "${container?.image}": it runs tiny.dev/function-NAME:TAG` };
  const bundle = join(folder, `${image}.cjs`);
  if (!existsSync(bundle)) return { missing: `${bundle} is not there: run \`npm run build\`` };
  const { annotations = {}, labels = {} } = spec.template.metadata ?? {};
  const { name, namespace = '' } = metadata;
  return {
    name,
    bundle,
    container: { ...container, name: container.name ?? 'user-container' },
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, uid: name, annotations, labels },
      spec: podSpec,
    },
    concurrency,
    timeoutMs: timeoutSeconds * 1000,
    retentionMs: goDuration(annotations[RETENTION] ?? ''),
  };
}
