/** What the function is measured against: the same requests for a new Session, by the same client, and nothing else. */
import type { Stored } from '../lib/api/meta.ts';
import type { Session } from '../lib/api/session.ts';
import { type Client, type Ref, SESSIONS } from '../lib/kube/types.ts';
import { planSession } from '../lib/session/plan.ts';

/** Read, create as its requester, report. Throws where the Session is gone or nobody is stamped on it. */
export async function plainly(client: Client, ref: Ref): Promise<void> {
  const session = await client.get(SESSIONS, ref);
  if (!session) throw new Error(`Session ${ref.name} is gone`);
  const { actor, ensure, report } = planSession(session, new Date());
  if (!actor) throw new Error(`Session ${ref.name} has no requester`);
  const person = client.as(actor);
  for (const { type, object } of ensure) await person.create(type, object);
  await client.applyStatus(SESSIONS, reportOf(session, report));
}

function reportOf({ apiVersion, kind, metadata }: Stored<Session>, status: unknown) {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, status };
}
