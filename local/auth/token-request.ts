/** `TokenRequest`: a client asks for a token of a service account, perhaps bound to a pod. */
import { ApiError } from '../../lib/kube/errors.ts';
import { ISSUER, issueToken, type TokenKeys } from './tokens.ts';

/** Seconds; the least that Kubernetes issues, and what a request that names none gets. */
export const MIN_EXPIRATION = 600;
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

/** The request with its token in `status`. Throws 400, 404, 409 and 422 as Kubernetes does. */
export function tokenRequest(body: unknown, context: TokenRequestContext): Record<string, unknown> {
  const { spec = {} } = (body ?? {}) as {
    spec?: { audiences?: string[]; expirationSeconds?: number; boundObjectRef?: Bound };
  };
  const { audiences = [ISSUER], expirationSeconds = DEFAULT_EXPIRATION, boundObjectRef } = spec;
  if (!(expirationSeconds >= MIN_EXPIRATION)) throw tooShort(expirationSeconds);
  const { keys, account, now } = context;
  const pod = boundObjectRef && boundPod(boundObjectRef, context);
  const issued = issueToken(keys, { ...account, audiences, expirationSeconds, ...(pod && { pod }), now });
  const { token, expirationTimestamp } = issued;
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { ...account, creationTimestamp: `${now.toISOString().slice(0, 19)}Z` },
    spec: { audiences, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
    status: { token, expirationTimestamp },
  };
}

function boundPod(
  { kind, name = '', uid }: Bound,
  { account, pod }: TokenRequestContext,
): { name: string; uid: string } {
  if (kind !== 'Pod') throw bad(`cannot bind token to object of type ${kind}`);
  const found = pod(name);
  if (!found) {
    const details = { name, kind: 'pods' };
    throw new ApiError(404, { reason: 'NotFound', message: `pods "${name}" not found`, details });
  }
  if (found.serviceAccountName !== account.name) {
    throw bad(
      `cannot bind token for serviceaccount "${account.name}" to pod running with different serviceaccount name.`,
    );
  }
  if (uid && uid !== found.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    const message = `Operation cannot be fulfilled on Pod "${name}": ${why}`;
    throw new ApiError(409, { reason: 'Conflict', message, details: { name, kind: 'Pod' } });
  }
  return { name, uid: found.uid };
}

const bad = (message: string): ApiError => new ApiError(400, { reason: 'BadRequest', message });

function tooShort(seconds: number): ApiError {
  const why = `Invalid value: ${seconds}: may not specify a duration less than 10 minutes`;
  const message = `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message: why, field: 'spec.expirationSeconds' }];
  const details = { group: 'authentication.k8s.io', kind: 'TokenRequest', causes };
  return new ApiError(422, { reason: 'Invalid', message, details });
}
