/** `TokenRequest`: a client asks for a token of a service account, perhaps bound to a pod. */
import { badRequest, cause, conflict, invalid, notFound } from '../api/errors.ts';
import { issueToken, type TokenKeys } from './tokens.ts';

/** Seconds; the least that Kubernetes issues, and what a request that names none gets. */
const MIN_EXPIRATION = 600;
const DEFAULT_EXPIRATION = 3600;

export interface TokenRequestContext {
  keys: TokenKeys;
  /** The account that the URL names; it exists. */
  account: { namespace: string; name: string; uid: string };
  /** A pod of the account's namespace. */
  pod: (name: string) => { uid: string; serviceAccountName: string } | undefined;
  now: Date;
}

interface Bound {
  kind?: string;
  name?: string;
  uid?: string;
}

interface Spec {
  audiences?: string[];
  expirationSeconds?: number;
  boundObjectRef?: Bound;
}

const REQUEST = { group: 'authentication.k8s.io', kind: 'TokenRequest', plural: 'tokenrequests' };
const PODS = { group: '', kind: 'Pod', plural: 'pods' };

/** The request with its token in `status`. Throws 400, 404, 409 and 422 as Kubernetes does. */
export function tokenRequest(body: unknown, context: TokenRequestContext): Record<string, unknown> {
  const { spec = {} } = (body ?? {}) as { spec?: Spec };
  const { audiences = [], expirationSeconds = DEFAULT_EXPIRATION, boundObjectRef } = spec;
  if (!(expirationSeconds >= MIN_EXPIRATION)) {
    const short = 'may not specify a duration less than 10 minutes';
    throw invalid(REQUEST, '', [cause.invalid('spec.expirationSeconds', expirationSeconds, short)]);
  }
  const { keys, account, now } = context;
  const pod = boundObjectRef && boundPod(boundObjectRef, context);
  const status = issueToken(keys, { account, audiences, expirationSeconds, pod, now });
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: account,
    spec: { ...spec, expirationSeconds },
    status,
  };
}

function boundPod({ kind, name = '', uid }: Bound, { account, pod }: TokenRequestContext) {
  if (kind !== 'Pod') throw badRequest(`cannot bind token to object of type ${kind}`);
  const found = pod(name);
  if (!found) throw notFound(PODS, name);
  if (found.serviceAccountName !== account.name) {
    throw badRequest(`cannot bind token of service account "${account.name}" to a pod of a different serviceaccount`);
  }
  if (uid && uid !== found.uid) throw conflict(PODS, name, `the UID ${uid} does not match the UID in record`);
  return { name, uid: found.uid };
}
