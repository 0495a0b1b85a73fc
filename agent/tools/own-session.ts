/** The Session that this pod belongs to, read through the API; a successor of the same name is not it. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { type Client, SESSIONS } from '../../lib/kube/types.ts';
import type { Identity } from '../env.ts';

export interface OwnSession {
  /** As it is now. Throws `ApiError` 404 where it is gone. */
  read(): Promise<Stored<Session>>;
  /** As it was seen last, if it was. */
  known(): Stored<Session> | undefined;
  /** Another call's answer held it. */
  saw(session: Stored<Session>): void;
}

/** The Session named in `identity`. */
export function ownSession(client: Client, { namespace, session, sessionUid }: Identity): OwnSession {
  let known: Stored<Session> | undefined;
  return {
    async read() {
      const live = await client.get<Session>(SESSIONS, { namespace, name: session });
      if (live?.metadata.uid !== sessionUid) {
        const message = `the Session ${namespace}/${session} of this pod (uid ${sessionUid}) is gone`;
        throw new ApiError(404, { code: 404, reason: 'NotFound', message });
      }
      known = live;
      return live;
    },
    known: () => known,
    saw(session) {
      known = session;
    },
  };
}
