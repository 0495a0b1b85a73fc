/** Whether a cluster has Knative's eventing, so that functions are woken; elsewhere the command does their work itself. */
import type { Client } from '../lib/kube/types.ts';

const known = new WeakMap<Client, Promise<boolean>>();

async function ask(client: Client): Promise<boolean> {
  const { groups = [] } = await client.request<{ groups?: { name: string }[] }>('GET', '/apis');
  return groups.some(({ name }) => name === 'eventing.knative.dev');
}

/** Asked once a run. */
export function hasEventing(client: Client): Promise<boolean> {
  const asked = known.get(client) ?? ask(client);
  known.set(client, asked);
  return asked;
}
