/**
 * What many new Sessions at once cost a real API server: the function's own loop, in this process, against a plain loop
 * that sends the same requests with the same client, which is the server's own limit. Roles and policies are in force.
 */
import type { Session } from '../lib/api/session.ts';
import { type Client, DEPLOYMENTS, SESSIONS } from '../lib/kube/types.ts';
import { reconcile } from '../lib/reconcile.ts';
import { sessions } from '../lib/session/plan.ts';
import { startWorld } from '../test/contract/world.ts';
import { atOnce } from './at-once.ts';
import { plainly } from './plain-loop.ts';
import { result } from './throughput.ts';
import type { Result } from './types.ts';

const NAMESPACE = 'bench';
/** As many as function `session` takes at a time (`containerConcurrency`). */
const AT_ONCE = 20;
const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);

const request = (name: string) =>
  ({
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { namespace: NAMESPACE, name },
    spec: { prompt: 'Say hello.' },
  }) as Session;

/** How many of each there are for the Sessions of `prefix`: none is to be lost, none doubled. */
async function count(client: Client, prefix: string): Promise<{ told: number; deployments: number }> {
  const of = ({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith(`${prefix}-`);
  const told = (await client.list(SESSIONS, { namespace: NAMESPACE })).items.filter(
    (one) =>
      of(one) && one.status?.conditions?.some(({ type, status }) => type === 'Materialised' && status === 'True'),
  );
  return {
    told: told.length,
    deployments: (await client.list(DEPLOYMENTS, { namespace: NAMESPACE })).items.filter(of).length,
  };
}

/** Throws where no kube-apiserver is found. */
export async function materialiseOnEngine(sessionsAtOnce: number): Promise<Result> {
  const world = await startWorld();
  try {
    await world.install(['rbac', 'rbac/policies']);
    await world.project(NAMESPACE);
    const alice = world.as('alice');
    const [made, plain] = [names('made', sessionsAtOnce), names('plain', sessionsAtOnce)];
    await atOnce(AT_ONCE, [...made, ...plain], (name) => alice.create(SESSIONS, request(name)));
    const client = world.functionClient('session');
    const plainMs = await atOnce(AT_ONCE, plain, (name) => plainly(client, { namespace: NAMESPACE, name }));
    const ref = (name: string) => ({ namespace: NAMESPACE, name });
    const madeMs = await atOnce(AT_ONCE, made, (name) =>
      reconcile(sessions, ref(name), { client, now: () => new Date() }),
    );
    return result({ sessionsAtOnce, plainMs, madeMs, counted: await count(world.admin, 'made') });
  } finally {
    await world.engine.stop();
  }
}
