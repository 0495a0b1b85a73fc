/** Definitions of kinds, put into an API server. */
import { setTimeout } from 'node:timers/promises';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Client, ResourceType } from '../../lib/kube/types.ts';

interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}
const DEFINITIONS: ResourceType<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const STEP_MS = 50;

const isEstablished = ({ status }: Stored<Definition>): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;

/** Applies them and waits until they are established; whether any was new. */
export async function define(client: Client, definitions: readonly KubeObject[]): Promise<boolean> {
  const before = new Set((await client.list(DEFINITIONS)).items.map(({ metadata }) => metadata.name));
  const names = definitions.map(({ metadata }) => metadata.name);
  for (const definition of definitions) await client.apply(DEFINITIONS, definition as Definition);
  for (const name of names) {
    let found = await client.get(DEFINITIONS, { name });
    while (!found || !isEstablished(found)) {
      await setTimeout(STEP_MS);
      found = await client.get(DEFINITIONS, { name });
    }
  }
  return names.some((name) => !before.has(name));
}
