/**
 * Waits until the admission policies over tiny's kinds are in force: an API server that has looked which kinds there
 * are before they were defined answers 503 for up to half a minute (seen on 1.37).
 */
import { ApiError } from '../kube/errors.ts';
import { collectionPath } from '../kube/path.ts';
import { type Client, SESSIONS } from '../kube/types.ts';

const STEP_MS = 250;

interface Patience {
  wait: (ms: number) => Promise<unknown>;
  /** Milliseconds; default 45,000. */
  patience?: number;
}

const isTooEarly = (error: unknown): boolean => error instanceof ApiError && error.code === 503;

/** Asks what making a Session in `namespace` would do, until that is no 503. Throws it when patience ends. */
export async function policiesInForce(client: Client, namespace: string, options: Patience): Promise<void> {
  const { wait, patience = 45_000 } = options;
  const { group, version, kind } = SESSIONS;
  const session = { apiVersion: `${group}/${version}`, kind, metadata: { generateName: 'in-force-' } };
  const path = `${collectionPath(SESSIONS, namespace)}?dryRun=All`;
  const ask = () => client.request('POST', path, { ...session, spec: { prompt: 'Nothing.' } });
  for (let waited = 0; ; waited += STEP_MS) {
    const error = await ask().catch((error) => error);
    if (!isTooEarly(error)) return;
    if (waited >= patience) throw error;
    await wait(STEP_MS);
  }
}
