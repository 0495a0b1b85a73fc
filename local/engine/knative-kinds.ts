/**
 * Knative's kinds on an API server without Knative: a stand-in for its definitions, which takes any content. The
 * stand-in's eventing and functions serve them.
 */
import type { KubeObject } from '../../lib/api/meta.ts';

const KINDS: readonly [group: string, kind: string, shortName: string][] = [
  ['serving.knative.dev', 'Service', 'ksvc'],
  ['eventing.knative.dev', 'Broker', 'broker'],
  ['eventing.knative.dev', 'Trigger', 'trigger'],
  ['sources.knative.dev', 'ApiServerSource', 'apiserversource'],
  ['sources.knative.dev', 'PingSource', 'pingsource'],
];

const schema = {
  openAPIV3Schema: {
    description: "A stand-in for Knative's own definition: it takes any content.",
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  },
};

const READY = '.status.conditions[?(@.type=="Ready")].status';

function definition([group, kind, shortName]: (typeof KINDS)[number]): KubeObject {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const names = { kind, plural, singular, listKind: `${kind}List`, categories: ['knative'] };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Ready', type: 'string', jsonPath: READY }],
    schema,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'tiny.dev/stand-in': 'true' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: shortName === singular ? names : { ...names, shortNames: [shortName] },
      versions: [version],
    },
  } as KubeObject;
}

/** The definitions of the five kinds that `knative/` uses. */
export const knativeKinds = (): KubeObject[] => KINDS.map(definition);
