/** Waits for what a server does a moment after it has said yes. */
import type { KubeObject, Stored } from '../api/meta.ts';
import type { Client } from '../kube/types.ts';
import { resourceTypeOf } from './apply.ts';
import { type Probed, probePolicies, type Where } from './probe.ts';

export interface Patience {
  wait: (ms: number) => Promise<unknown>;
  /** Milliseconds in all. */
  limit: number;
}

const STEP_MS = 250;
/** Policies come into force one by one: seen twice in a row is seen. */
const IN_A_ROW = 2;

type Definition = Stored<KubeObject> & { status?: { conditions?: { type: string; status: string }[] } };

const isEstablished = (object: Definition | undefined): boolean =>
  object?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;

/** Which of the CustomResourceDefinitions are not established when patience ends; none where all is well. */
export async function untilEstablished(
  client: Client,
  definitions: readonly KubeObject[],
  { wait, limit }: Patience,
): Promise<string[]> {
  for (let waited = 0; ; waited += STEP_MS) {
    const found = await Promise.all(definitions.map((one) => client.get(resourceTypeOf(one), one.metadata)));
    const open = definitions.filter((_, index) => !isEstablished(found[index] as Definition | undefined));
    if (!open.length || waited >= limit) return open.map(({ metadata }) => metadata.name);
    await wait(STEP_MS);
  }
}

/** What is not seen to be in force when patience ends. What the person may not try is not waited for. */
export async function untilInForce(client: Client, where: Where, { wait, limit }: Patience): Promise<Probed[]> {
  let row = 0;
  for (let waited = 0; ; waited += STEP_MS) {
    const open = (await probePolicies(client, where)).filter(({ inForce }) => !inForce);
    row = open.some(({ untried }) => !untried) ? 0 : row + 1;
    if (row === IN_A_ROW || waited >= limit) return open;
    await wait(STEP_MS);
  }
}
