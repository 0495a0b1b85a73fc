/** Who sends a request, from its `Authorization` header alone: a person's static token or a service account's JWT. */
import type { Person } from '../../lib/api/meta.ts';
import { personOf, type TokenKeys, verifyToken } from './tokens.ts';

export interface Authenticators {
  /** People by their bearer token. */
  people: ReadonlyMap<string, Person>;
  keys: TokenKeys;
  now: Date;
  /** The path of the URL: a few may be asked without a token. */
  path: string;
  /** Whether the object is there, with this uid. */
  exists: (plural: 'serviceaccounts' | 'pods', object: { namespace: string; name: string; uid: string }) => boolean;
}

const ANONYMOUS: Person = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
/** Paths that tell nothing about what is stored. */
const OPEN = /^\/(healthz|readyz|livez|version)(\/|$)/;

/** Who asks; `undefined` is 401. Without a token only the health and version of the server can be asked for. */
export function authenticate(authorization: string | undefined, deps: Authenticators): Person | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return OPEN.test(deps.path) ? ANONYMOUS : undefined;
  const person = deps.people.get(token) ?? byServiceAccountToken(token, deps);
  return person && { ...person, groups: [...new Set([...(person.groups ?? []), 'system:authenticated'])] };
}

function byServiceAccountToken(token: string, { keys, now, exists }: Authenticators): Person | undefined {
  const claims = verifyToken(keys, token, now);
  if (!claims) return undefined;
  const { namespace, serviceaccount, pod } = claims['kubernetes.io'];
  const stands = exists('serviceaccounts', { namespace, ...serviceaccount });
  return stands && (!pod || exists('pods', { namespace, ...pod })) ? personOf(claims) : undefined;
}
