/** Makes the Session that was asked for from outside, once, as whoever asked: whether they may is the API server's to say. */
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { isAlreadyExists, isBadRequest, isForbidden, isInvalid, isNotFound } from '../kube/errors.ts';
import { type Client, type ResourceType, SESSIONS } from '../kube/types.ts';
import { type AskedSession, type Asking, isAsked, makeAskedSession } from './make-session.ts';

export type Started =
  | { kind: 'started'; session: Stored<Session>; anew: boolean }
  /** In the API server's words. */
  | { kind: 'refused'; message: string };

/** A Session that is sent without the defaults that the schema gives. */
const ASKED = SESSIONS as ResourceType as ResourceType<AskedSession>;

/** `client` is the function's own. Throws what passes by itself. */
export async function startSession(client: Client, asking: Asking): Promise<Started> {
  const asPerson = client.as(asking.person);
  const asked = makeAskedSession(asking);
  try {
    const made = await asPerson.create(ASKED, asked);
    return { kind: 'started', session: made as unknown as Stored<Session>, anew: true };
  } catch (error) {
    if (isAlreadyExists(error)) return existing(asPerson, asked);
    if (isForbidden(error) || isInvalid(error) || isBadRequest(error) || isNotFound(error))
      return { kind: 'refused', message: error.message };
    throw error;
  }
}

async function existing(asPerson: Client, asked: AskedSession): Promise<Started> {
  const { name, namespace } = asked.metadata;
  const live = await asPerson.get(SESSIONS, { name, ...(namespace !== undefined && { namespace }) });
  if (live && isAsked(asked, live)) return { kind: 'started', session: live, anew: false };
  return { kind: 'refused', message: `Session "${name}" exists already and is not what was asked for here` };
}
