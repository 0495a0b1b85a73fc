import { generateKeyPairSync } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Authenticators, authenticate } from '../../../local/auth/authenticate.ts';
import { tokenRequest } from '../../../local/auth/token-request.ts';
import { issueToken, tokenKeys, verifyToken } from '../../../local/auth/tokens.ts';

const pem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const [keys, otherKeys] = [tokenKeys(pem()), tokenKeys(pem())];
const now = new Date('2026-01-02T03:04:05Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const account = { namespace: 'demo', name: 'bot', uid: 'sa-1' };
const spec = { account, audiences: [], expirationSeconds: 600, now };
const pod = { name: 'p', uid: 'pod-1' };

const deps = (over: Partial<Authenticators> = {}): Authenticators => ({
  people: new Map([['alices-token', { username: 'alice', groups: ['dev'] }]]),
  keys,
  now,
  path: '/api',
  exists: (plural, object) =>
    isDeepStrictEqual(object, plural === 'pods' ? { namespace: 'demo', ...pod } : { ...account }),
  ...over,
});

describe('a token', () => {
  const { token } = issueToken(keys, spec);
  const [header, payload = '', signature] = token.split('.');
  const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('bot', 'admin')).toString(
    'base64url',
  );
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  test.each<[string, string, Date, boolean]>([
    ['is good', token, now, true],
    ['is good until it expires', token, later(599), true],
    ['is not once it has expired', token, later(600), false],
    ['is not long before it was issued', token, later(-3600), false],
    ['is not for another audience', issueToken(keys, { ...spec, audiences: ['x'] }).token, now, false],
    ['is not with another payload', `${header}.${forged}.${signature}`, now, false],
    ['is not without a signature', `${none}.${payload}.`, now, false],
    ['is not with a short signature', `${header}.${payload}.AAAA`, now, false],
    ['is not with a part more', `${token}.x`, now, false],
    ['is not when it is none', 'x', now, false],
    ['is not by another key', issueToken(otherKeys, spec).token, now, false],
  ])('%s', (...[, given, at, good]) => {
    expect(verifyToken(keys, given, at) !== undefined).toBe(good);
  });
});

describe('who asks', () => {
  const bearer = (token: string) => `Bearer ${token}`;
  test('is a person by their token', () => {
    const who = { username: 'alice', groups: ['dev', 'system:authenticated'] };
    expect(authenticate(bearer('alices-token'), deps())).toEqual(who);
    expect(authenticate('bearer   alices-token', deps())).toEqual(who);
  });

  test('is a service account, with the pod that its token is bound to', () => {
    const { token } = issueToken(keys, { ...spec, pod });
    expect(authenticate(bearer(token), deps())).toEqual({
      username: 'system:serviceaccount:demo:bot',
      uid: 'sa-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:demo', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['pod-1'],
      },
    });
  });

  test.each<[string, string | undefined, Partial<Authenticators>]>([
    ['an unknown token', bearer('x'), {}],
    ['an account that is gone', bearer(issueToken(keys, spec).token), { exists: () => false }],
    ['a pod that is gone', bearer(issueToken(keys, { ...spec, pod }).token), { exists: (plural) => plural !== 'pods' }],
    ['nobody', undefined, {}],
    ['nobody, of a resource', undefined, { path: '/api/v1/pods' }],
    ['nobody, of a path that only begins like an open one', undefined, { path: '/versions' }],
    ['an unknown token, of an open path', bearer('x'), { path: '/healthz' }],
  ])('is not known by %s', (_, authorization, over) => {
    expect(authenticate(authorization, deps(over))).toBeUndefined();
  });

  test.each(['/healthz', '/readyz', '/livez', '/livez/ping', '/version', '/version/'])(
    'may be nobody for %s',
    (path) => {
      expect(authenticate(undefined, deps({ path }))).toEqual({
        username: 'system:anonymous',
        groups: ['system:unauthenticated'],
      });
    },
  );
});

describe('a token request', () => {
  const context = {
    keys,
    account,
    pod: (name: string) =>
      name === 'p' ? { uid: 'pod-1', serviceAccountName: 'bot' } : { uid: 'x', serviceAccountName: 'x' },
    now,
  };
  const bound = (ref: object) => ({ spec: { boundObjectRef: { kind: 'Pod', name: 'p', ...ref } } });

  test('is answered with a token for an hour, for this server', () => {
    const { status, spec: asked } = tokenRequest({}, context) as {
      status: { token: string; expirationTimestamp: string };
      spec: object;
    };
    expect(status.expirationTimestamp).toBe('2026-01-02T04:04:05Z');
    expect(asked).toEqual({ expirationSeconds: 3600 });
    expect(verifyToken(keys, status.token, now)).toBeDefined();
  });

  test('may bind the token to a pod', () => {
    const { status } = tokenRequest(bound({ uid: 'pod-1' }), context) as { status: { token: string } };
    expect(verifyToken(keys, status.token, now)?.['kubernetes.io'].pod).toEqual(pod);
  });

  test.each<[string, unknown, number, string]>([
    ['a short life', { spec: { expirationSeconds: 599 } }, 422, 'may not specify a duration less than 10 minutes'],
    ['a life that is no number', { spec: { expirationSeconds: 'x' } }, 422, 'may not specify'],
    ['a Secret', bound({ kind: 'Secret' }), 400, 'cannot bind token to object of type Secret'],
    ['a pod of another account', bound({ name: 'q' }), 400, 'different serviceaccount'],
    ['another uid', bound({ uid: 'x' }), 409, 'does not match the UID in record'],
  ])('is refused for %s', (...[, body, code, message]) => {
    expect(() => tokenRequest(body, context)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  test('is refused for a pod that is not there', () => {
    expect(() => tokenRequest(bound({}), { ...context, pod: () => undefined })).toThrow('pods "p" not found');
  });
});
