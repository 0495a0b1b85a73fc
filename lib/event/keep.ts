/** Keeps an event that no retry could deliver in ConfigMap `dead-letters`. */
import { type Client, CONFIG_MAPS } from '../kube/types.ts';
import { despiteConflicts } from '../kube/version.ts';
import { type Buried, burying, DEAD_LETTERS } from './dead-letters.ts';

const REF = { namespace: 'tiny-system', name: DEAD_LETTERS };
/** How often it is tried where another letter comes in between. */
const ATTEMPTS = 8;

/** Whether it is an event. Throws a conflict where others kept coming in between. */
export async function keep(client: Client, buried: Buried, now: () => Date): Promise<boolean> {
  return await despiteConflicts(ATTEMPTS, () => keepOnce(client, buried, now()));
}

async function keepOnce(client: Client, buried: Buried, now: Date): Promise<boolean> {
  const live = await client.get(CONFIG_MAPS, REF);
  const data = burying(live?.data ?? {}, buried, now);
  if (!data) return false;
  const metadata = live && { resourceVersion: live.metadata.resourceVersion };
  await client.patch(CONFIG_MAPS, REF, { type: 'merge', body: { ...(metadata && { metadata }), data } });
  return true;
}
