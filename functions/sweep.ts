/** Function `sweep`: woken by a schedule; finds what events missed and hands it to the function whose it is. */
import { randomUUID } from 'node:crypto';
import type { Answered, Called } from '../lib/called.ts';
import { questionsWithin } from '../lib/question/plan.ts';
import { withImagesFrom } from '../lib/session/images.ts';
import { sessionsWithin } from '../lib/session/plan.ts';
import { hint } from '../lib/sweep/hint.ts';
import { sweep } from '../lib/sweep/pass.ts';
import { type Edge, runHook } from './hook.ts';

/** What a PingSource sends is a few bytes. */
const MAX_BYTES = 64 * 1024;
const PING = 'dev.knative.sources.ping';
/** A pass ends itself before Knative's `timeoutSeconds` would. Milliseconds. */
const LONGEST_PASS_MS = 240_000;
/** What one pass sets right at most: the rest is for the next. */
const MOST = 200;
const AT_ONCE = 8;

runHook('sweep', MAX_BYTES, (edge) => {
  let underWay: Promise<Answered> | undefined;
  return async ({ method, headers }: Called) => {
    if (method !== 'POST' || headers['ce-type'] !== PING) return { status: 400 };
    // A second pass beside the first would find the same.
    underWay ??= pass(edge).finally(() => {
      underWay = undefined;
    });
    return await underWay;
  };
});

async function pass({ client, env, log }: Edge): Promise<Answered> {
  const signal = AbortSignal.timeout(LONGEST_PASS_MS);
  const urls = { Session: env.TINY_SESSION_URL, Question: env.TINY_QUESTION_URL };
  const began = performance.now();
  const tally = await sweep({
    client,
    sessions: withImagesFrom(env.TINY_REGISTRY, sessionsWithin(env.TINY_MAX_AGE)),
    questions: questionsWithin(env.TINY_MAX_AGE),
    now: () => new Date(),
    hint: (subject) => hint(subject, { urls, fetch, id: randomUUID, signal }),
    most: MOST,
    atOnce: AT_ONCE,
    signal,
    log: ({ kind, namespace, name, why }) => log.info({ kind, namespace, name }, why),
  });
  log.info({ ...tally, ms: Math.round(performance.now() - began) }, 'swept');
  return { status: 202 };
}
