/** Function `dead-letters`: keeps what a trigger gave up on where people can see it, and replay it. */
import { burying, DEAD_LETTERS } from '../lib/event/dead-letters.ts';
import { MAX_EVENT_BYTES } from '../lib/event/receive.ts';
import { isConflict } from '../lib/kube/errors.ts';
import { type Client, CONFIG_MAPS } from '../lib/kube/types.ts';
import { type Answered, runHook } from './hook.ts';

const REF = { namespace: 'tiny-system', name: DEAD_LETTERS };
/** How often it is tried where another letter comes in between. */
const ATTEMPTS = 8;

runHook('dead-letters', MAX_EVENT_BYTES, ({ client, log }) => async (called): Promise<Answered> => {
  if (called.method !== 'POST') return { status: 400 };
  const buried = { headers: called.headers, body: called.body.toString('utf8') };
  const kept = await persistently(() => keep(client, buried));
  log.warn({ type: called.headers['ce-type'], name: called.headers['ce-name'] }, kept ? 'kept' : 'no event');
  return { status: kept ? 202 : 400 };
});

async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Whether it is an event. Throws a conflict where another was kept meanwhile. */
async function keep(client: Client, buried: Parameters<typeof burying>[1]): Promise<boolean> {
  const live = await client.get(CONFIG_MAPS, REF);
  const data = burying(live?.data ?? {}, buried, new Date());
  if (!data) return false;
  const metadata = live && { resourceVersion: live.metadata.resourceVersion };
  await client.patch(CONFIG_MAPS, REF, { type: 'merge', body: { ...(metadata && { metadata }), data } });
  return true;
}
