/**
 * Service-account tokens as Kubernetes issues them: a JWT, signed with ES256, whose `kubernetes.io` claim names the
 * account and the pod that it is bound to. Signed with the server's own key, which lasts, so that a token outlives a
 * restart.
 */
import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import { toTimestamp } from '../../lib/api/conditions.ts';
import type { Person } from '../../lib/api/meta.ts';

/** The issuer, and the audience of a token that asks for none: this API server. */
const ISSUER = 'https://kubernetes.default.svc.cluster.local';

export interface TokenKeys {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

interface Named {
  name: string;
  uid: string;
}

/** What a valid token says. Times are seconds since 1970. */
export interface Claims {
  iss: string;
  sub: string;
  aud: string[];
  exp: number;
  iat: number;
  nbf: number;
  jti: string;
  'kubernetes.io': { namespace: string; serviceaccount: Named; pod?: Named };
}

export interface TokenSpec {
  account: Named & { namespace: string };
  /** Empty: the API server itself. */
  audiences: readonly string[];
  expirationSeconds: number;
  /** The pod that the token is bound to: it is worth nothing once that is gone. */
  pod?: Named | undefined;
  now: Date;
}

/** `pem` holds a private key on the curve P-256. */
export function tokenKeys(pem: string): TokenKeys {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** A new token. `expirationSeconds` is taken as it is: the least that a client may ask for is checked where it asks. */
export function issueToken({ privateKey }: TokenKeys, spec: TokenSpec): { token: string; expirationTimestamp: string } {
  const { account, audiences, pod, now } = spec;
  const { namespace, ...serviceaccount } = account;
  const iat = Math.floor(now.getTime() / 1000);
  const exp = iat + spec.expirationSeconds;
  const claims: Claims = {
    ...{ iss: ISSUER, sub: `system:serviceaccount:${namespace}:${account.name}`, jti: randomUUID() },
    ...{ aud: audiences.length > 0 ? [...audiences] : [ISSUER], exp, iat, nbf: iat },
    'kubernetes.io': { namespace, serviceaccount, ...(pod && { pod }) },
  };
  const input = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return {
    token: `${input}.${signature.toString('base64url')}`,
    expirationTimestamp: toTimestamp(new Date(exp * 1000)),
  };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What the token says, where this server signed it, for itself, and it is in its time. */
export function verifyToken({ publicKey }: TokenKeys, token: string, now: Date): Claims | undefined {
  const [header, payload, signature, rest] = token.split('.');
  if (!header || !payload || !signature || rest !== undefined) return undefined;
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  const seconds = now.getTime() / 1000;
  return seconds < claims.exp && seconds >= claims.nbf - 60 && claims.aud.includes(ISSUER) ? claims : undefined;
}

/** The user that a token stands for, without the groups that every authenticated user has. */
export function personOf({ sub, jti, 'kubernetes.io': { namespace, serviceaccount, pod } }: Claims): Person {
  const prefix = 'authentication.kubernetes.io';
  return {
    username: sub,
    uid: serviceaccount.uid,
    groups: serviceAccountGroups(namespace),
    extra: {
      [`${prefix}/credential-id`]: [`JTI=${jti}`],
      ...(pod && { [`${prefix}/pod-name`]: [pod.name], [`${prefix}/pod-uid`]: [pod.uid] }),
    },
  };
}

/** The groups of each service account of a namespace. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];
