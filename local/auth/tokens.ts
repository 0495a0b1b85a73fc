/**
 * Service-account tokens as Kubernetes issues them: a JWT, signed with ES256, whose `kubernetes.io` claim names the
 * account and the pod that it is bound to. The key lives in a file, so that a token outlives a restart.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Person } from '../../lib/api/meta.ts';

/** The issuer, and the audience of a token that asks for none: this API server. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

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

export interface TokenSpec extends Named {
  namespace: string;
  /** Empty: the API server itself. */
  audiences: readonly string[];
  expirationSeconds: number;
  /** The pod that the token is bound to: it is worth nothing once that is gone. */
  pod?: Named;
  now: Date;
}

/** Reads the signing key from `dir`, or makes it there; readable by its owner alone. */
export function loadTokenKeys(dir: string): TokenKeys {
  const file = join(dir, 'service-account.key');
  if (!existsSync(file)) writeKey(dir, file);
  const privateKey = createPrivateKey(readFileSync(file));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** A new token. `expirationSeconds` is taken as it is: the least that a client may ask for is checked where it asks. */
export function issueToken(
  keys: TokenKeys,
  spec: TokenSpec,
): { token: string; expirationTimestamp: string; id: string } {
  const iat = Math.floor(spec.now.getTime() / 1000);
  const exp = iat + spec.expirationSeconds;
  const { namespace, name, uid, pod } = spec;
  const claims: Claims = {
    iss: ISSUER,
    sub: `system:serviceaccount:${namespace}:${name}`,
    aud: spec.audiences.length > 0 ? [...spec.audiences] : [ISSUER],
    exp,
    iat,
    nbf: iat,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace,
      serviceaccount: { name, uid },
      ...(pod && { pod: { name: pod.name, uid: pod.uid } }),
    },
  };
  const input = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key: keys.privateKey, dsaEncoding: 'ieee-p1363' });
  const expirationTimestamp = new Date(exp * 1000).toISOString().replace('.000Z', 'Z');
  return { token: `${input}.${signature.toString('base64url')}`, expirationTimestamp, id: claims.jti };
}

/** What the token says, where this server signed it, it is in its time, and it was meant for `audience`. */
export function verifyToken(
  keys: TokenKeys,
  token: string,
  { now, audience = ISSUER }: { now: Date; audience?: string },
): Claims | undefined {
  const [header, payload, signature, rest] = token.split('.');
  if (!header || !payload || !signature || rest !== undefined) return undefined;
  const key = { key: keys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  const seconds = now.getTime() / 1000;
  return seconds < claims.exp && seconds >= claims.nbf - 60 && claims.aud.includes(audience) ? claims : undefined;
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

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function writeKey(dir: string, file: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(`${file}.new`, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
