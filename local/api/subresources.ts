/** What hangs below an object besides its status: a Deployment's scale and a pod's log. */

import { merge } from '../apply/merge.ts';
import type { Stored } from '../types.ts';
import { type Answer, type Call, ok } from './call.ts';
import { badRequest } from './errors.ts';
import { existing, replaced } from './write.ts';

export interface LogOptions {
  follow: boolean;
  /** How many lines from the end; default all. */
  tailLines?: number;
  /** The log of the container's previous run. */
  previous: boolean;
}

/** Where the logs of a pod's containers are read. */
export interface LogTarget {
  namespace: string;
  pod: string;
  container: string;
}

export type Logs = (target: LogTarget, options: LogOptions, signal: AbortSignal) => AsyncIterable<string | Uint8Array>;

/** Which log the request asks for. Throws 400 where it has to name a container. */
export function logTarget(call: Call): { target: LogTarget; options: LogOptions } {
  const { query, attributes } = call;
  const { containers = [], initContainers = [] } = existing(call).spec as Record<
    string,
    { name: string }[] | undefined
  >;
  const names = containers.map(({ name }) => name);
  const container = query.get('container') ?? (names.length === 1 ? names[0] : undefined);
  if (!container)
    throw badRequest(
      `a container name must be specified for pod ${attributes.name}, choose one of: [${names.join(' ')}]`,
    );
  if (![...containers, ...initContainers].some(({ name }) => name === container)) {
    throw badRequest(`container ${container} is not valid for pod ${attributes.name}`);
  }
  const tail = query.get('tailLines');
  return {
    target: { namespace: attributes.namespace, pod: attributes.name, container },
    options: {
      follow: query.get('follow') === 'true',
      previous: query.get('previous') === 'true',
      ...(tail !== null && { tailLines: Number(tail) }),
    },
  };
}

/** Reads or changes how many replicas a Deployment has, as `autoscaling/v1` Scale. */
export function scale(call: Call): Answer {
  const old = existing(call);
  const { verb } = call.attributes;
  if (verb === 'get') return ok(scaleOf(old));
  const next = (verb === 'patch' ? merge(scaleOf(old), call.body) : call.body) as Stored & {
    spec?: { replicas?: number };
  };
  const { resourceVersion = '' } = next.metadata;
  const object = { ...old, spec: { ...(old.spec as object), replicas: next.spec?.replicas ?? 0 } };
  const metadata = { ...old.metadata, ...(resourceVersion && { resourceVersion }) };
  return ok(scaleOf(replaced(call, old, { object: { ...object, metadata }, causes: [] })));
}

function scaleOf({ metadata, spec, status }: Stored): Record<string, unknown> {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { replicas = 0, selector } = spec as { replicas?: number; selector?: { matchLabels?: object } };
  const labels = Object.entries(selector?.matchLabels ?? {}).map((pair) => pair.join('='));
  const { replicas: current = 0 } = (status ?? {}) as { replicas?: number };
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas },
    status: { replicas: current, selector: labels.join(',') },
  };
}
