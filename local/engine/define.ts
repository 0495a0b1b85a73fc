/** Definitions of kinds, put into an API server. */
import { setTimeout } from 'node:timers/promises';
import type { KubeObject } from '../../lib/api/meta.ts';
import type { Client, ResourceType } from '../../lib/kube/types.ts';

interface Definition extends KubeObject {
  spec: { group: string };
}
const DEFINITIONS: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const STEP_MS = 25;

/** The API groups that the server says it has. */
const groupsOf = async (client: Client): Promise<string[]> =>
  (await client.request<{ groups: { name: string }[] }>('GET', '/apis')).groups.map(({ name }) => name);

/** Applies them and waits until the server says that it has their groups. */
export async function define(client: Client, definitions: readonly KubeObject[]): Promise<void> {
  for (const definition of definitions) await client.apply(DEFINITIONS, definition);
  const wanted = (definitions as readonly Definition[]).map(({ spec }) => spec.group);
  while (wanted.length) {
    const there = await groupsOf(client);
    if (wanted.every((group) => there.includes(group))) return;
    await setTimeout(STEP_MS);
  }
}
