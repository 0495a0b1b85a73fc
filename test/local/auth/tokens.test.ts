import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Authenticators, authenticate } from '../../../local/auth/authenticate.ts';
import { tokenRequest } from '../../../local/auth/token-request.ts';
import { issueToken, loadTokenKeys, verifyToken } from '../../../local/auth/tokens.ts';

const dir = mkdtempSync(join(tmpdir(), 'tokens-'));
const other = mkdtempSync(join(tmpdir(), 'tokens-'));
afterAll(() => [dir, other].map((each) => rmSync(each, { recursive: true })));

const keys = loadTokenKeys(dir);
const now = new Date('2026-01-02T03:04:05Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const spec = { namespace: 'demo', name: 'bot', uid: 'sa-1', audiences: [], expirationSeconds: 600, now };
const pod = { name: 'p', uid: 'pod-1' };

const deps = (over: Partial<Authenticators> = {}): Authenticators => ({
  people: new Map([['alices-token', { username: 'alice', groups: ['dev'] }]]),
  keys,
  now,
  exists: (namespace, name, uid) => namespace === 'demo' && name === 'bot' && uid === 'sa-1',
  pod: (namespace, name, uid) => namespace === 'demo' && name === 'p' && uid === 'pod-1',
  ...over,
});

test('the key is made once, and for its owner alone', () => {
  const { token } = issueToken(keys, spec);
  expect(verifyToken(loadTokenKeys(dir), token, { now })).toMatchObject({ sub: 'system:serviceaccount:demo:bot' });
  expect(statSync(join(dir, 'service-account.key')).mode & 0o777).toBe(0o600);
});

describe('a token', () => {
  const { token } = issueToken(keys, spec);
  const [header, payload = '', signature] = token.split('.');
  const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('bot', 'admin')).toString(
    'base64url',
  );
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  test.each<[string, string, { now: Date; audience?: string }, boolean]>([
    ['is good', token, { now }, true],
    ['is good until it expires', token, { now: later(599) }, true],
    ['is not once it has expired', token, { now: later(600) }, false],
    ['is not long before it was issued', token, { now: later(-3600) }, false],
    ['is not for another audience', token, { now, audience: 'x' }, false],
    ['is not with another payload', `${header}.${forged}.${signature}`, { now }, false],
    ['is not without a signature', `${none}.${payload}.`, { now }, false],
    ['is not with a short signature', `${header}.${payload}.AAAA`, { now }, false],
    ['is not with a part more', `${token}.x`, { now }, false],
    ['is not when it is none', 'x', { now }, false],
    ['is not by another key', issueToken(loadTokenKeys(other), spec).token, { now }, false],
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
    const { token, id } = issueToken(keys, { ...spec, pod });
    expect(authenticate(bearer(token), deps())).toEqual({
      username: 'system:serviceaccount:demo:bot',
      uid: 'sa-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:demo', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [`JTI=${id}`],
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['pod-1'],
      },
    });
  });

  test.each<[string, string | undefined, Partial<Authenticators>]>([
    ['an unknown token', bearer('x'), {}],
    ['an account that is gone', bearer(issueToken(keys, spec).token), { exists: () => false }],
    ['a pod that is gone', bearer(issueToken(keys, { ...spec, pod }).token), { pod: () => false }],
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
    account: { namespace: 'demo', name: 'bot', uid: 'sa-1' },
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
    expect(asked).toMatchObject({
      expirationSeconds: 3600,
      audiences: ['https://kubernetes.default.svc.cluster.local'],
    });
    expect(verifyToken(keys, status.token, { now })).toBeDefined();
  });

  test('may bind the token to a pod', () => {
    const { status } = tokenRequest(bound({ uid: 'pod-1' }), context) as { status: { token: string } };
    expect(verifyToken(keys, status.token, { now })?.['kubernetes.io'].pod).toEqual(pod);
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
