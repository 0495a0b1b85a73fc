/** A project that is full, in words: which limit it is, who holds it, and what makes room. */
import { SESSION_COUNT } from '../../lib/install/quota.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import { exceeded, holders } from '../../lib/session/quota.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { safeLine } from '../output/safe.ts';

/** How many holders are named. */
const NAMED = 5;

/** A `Failure` in place of the API server's refusal of one more Session; any other error as it is. */
export async function unlessFull(app: App, error: unknown): Promise<unknown> {
  const full = isForbidden(error) ? exceeded(error.message) : undefined;
  if (!full) return error;
  const { namespace } = await app.cluster();
  const what =
    full.of === SESSION_COUNT
      ? `at most ${full.limit} ${full.limit === '1' ? 'Session' : 'Sessions'}`
      : `${full.of} of ${full.limit}`;
  return new Failure(
    `project ${namespace} is full: it may have ${what} (ResourceQuota "${full.quota}")`,
    ...(await held(app)),
    `Room is made by \`${app.program} rm NAME\`: finished Sessions count, too. Whoever looks after the project raises the limit:`,
    `${app.program} settings set limits.maxSessions=NUMBER`,
  );
}

/** Who has them, in one line; nothing for who may not look. */
async function held(app: App): Promise<string[]> {
  const { client, namespace } = await app.cluster();
  const sessions = await client.list(SESSIONS, { namespace }).catch((error: unknown) => {
    if (isForbidden(error)) return undefined;
    throw error;
  });
  const all = holders(sessions?.items ?? []);
  if (!all.length) return [];
  const words = all
    .slice(0, NAMED)
    .map(({ who, count, finished }) => `${safeLine(who)} ${count}${finished ? ` (${finished} finished)` : ''}`);
  return [`Who has them: ${words.join(', ')}${all.length > NAMED ? `, and ${all.length - NAMED} more` : ''}.`];
}
