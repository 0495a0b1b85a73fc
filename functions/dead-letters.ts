/** Function `dead-letters`: keeps what a trigger gave up on where people can see it, and replay it. */
import type { Answered } from '../lib/called.ts';
import { keep } from '../lib/event/keep.ts';
import { MAX_EVENT_BYTES } from '../lib/event/receive.ts';
import { runHook } from './hook.ts';

runHook('dead-letters', MAX_EVENT_BYTES, ({ client, log }) => async (called): Promise<Answered> => {
  if (called.method !== 'POST') return { status: 400 };
  const buried = { headers: called.headers, body: called.body.toString('utf8') };
  const kept = await keep(client, buried, () => new Date());
  log.warn({ type: called.headers['ce-type'], name: called.headers['ce-name'] }, kept ? 'kept' : 'no event');
  return { status: kept ? 202 : 400 };
});
