/** Who sends a request, from its `Authorization` header alone: a person's static token or a service account's JWT. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Person } from '../../lib/api/meta.ts';
import { type Claims, personOf, type TokenKeys, verifyToken } from './tokens.ts';

export interface Authenticators {
  /** People by their bearer token. */
  people: ReadonlyMap<string, Person>;
  keys: TokenKeys;
  now: Date;
  /** The path of the URL: a few may be asked without a token. */
  path?: string;
  /** Whether the service account is there, with this uid. */
  exists: (namespace: string, serviceAccount: string, uid: string) => boolean;
  /** Whether the pod is there, with this uid. */
  pod: (namespace: string, name: string, uid: string) => boolean;
}

const ANONYMOUS: Person = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
/** Paths that tell nothing about what is stored. */
const OPEN = /^\/(healthz|readyz|livez|version)(\/|$)/;

/** Who asks; `undefined` is 401. Without a token only the health and version of the server can be asked for. */
export function authenticate(authorization: string | undefined, deps: Authenticators): Person | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return OPEN.test(deps.path ?? '') ? ANONYMOUS : undefined;
  const person = byStaticToken(token, deps.people) ?? byServiceAccountToken(token, deps);
  return person && { ...person, groups: [...new Set([...(person.groups ?? []), 'system:authenticated'])] };
}

/** Compares with each token in constant time, so that how long it takes tells nothing about them. */
function byStaticToken(token: string, people: ReadonlyMap<string, Person>): Person | undefined {
  const given = digest(token);
  let found: Person | undefined;
  for (const [known, person] of people) if (timingSafeEqual(given, digest(known))) found = person;
  return found;
}

function byServiceAccountToken(token: string, deps: Authenticators): Person | undefined {
  const claims = verifyToken(deps.keys, token, deps);
  return claims && isBound(claims, deps) ? personOf(claims) : undefined;
}

function isBound({ 'kubernetes.io': { namespace, serviceaccount, pod } }: Claims, deps: Authenticators): boolean {
  if (!deps.exists(namespace, serviceaccount.name, serviceaccount.uid)) return false;
  return !pod || deps.pod(namespace, pod.name, pod.uid);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
