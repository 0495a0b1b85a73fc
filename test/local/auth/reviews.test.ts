import { expect, test } from 'vitest';
import { review } from '../../../local/auth/reviews.ts';
import { granted } from './rbac-objects.ts';

const user = { username: 'alice', groups: ['system:authenticated'] };
const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const healthz = { nonResourceURLs: ['/healthz'], verbs: ['get'] };
const rbac = granted({ rules: [pods, healthz], subjects: [{ kind: 'User', name: 'alice' }] });
const ask = (kind: string, spec: object) => review(kind, { apiVersion: 'v1', spec }, { user, rbac }).status;
const getPods = { resourceAttributes: { namespace: 'demo', verb: 'get', resource: 'pods' } };

test('who one is', () => {
  expect(ask('SelfSubjectReview', {})).toEqual({ userInfo: user });
});

test('whether one may', () => {
  const reason = 'RBAC: allowed by ClusterRoleBinding "rb" of ClusterRole "r" to User "alice"';
  expect(ask('SelfSubjectAccessReview', getPods)).toEqual({ allowed: true, reason });
  expect(ask('SelfSubjectAccessReview', { nonResourceAttributes: { path: '/healthz', verb: 'get' } })).toMatchObject({
    allowed: true,
  });
  expect(ask('SelfSubjectAccessReview', { nonResourceAttributes: { path: '/x', verb: 'get' } })).toEqual({
    allowed: false,
  });
});

test('whether another may', () => {
  expect(ask('SubjectAccessReview', { ...getPods, user: 'bob' })).toEqual({ allowed: false });
  expect(ask('SubjectAccessReview', { ...getPods, user: 'alice' })).toMatchObject({ allowed: true });
});

test('what one may do', () => {
  expect(ask('SelfSubjectRulesReview', { namespace: 'demo' })).toEqual({
    resourceRules: [pods],
    nonResourceRules: [healthz],
    incomplete: false,
  });
});

test.each([
  ['SelfSubjectAccessReview', {}, 422],
  ['SelfSubjectAccessReview', { ...getPods, nonResourceAttributes: { path: '/' } }, 422],
  ['SelfSubjectRulesReview', {}, 400],
  ['toString', {}, 404],
])('a %s that asks nothing is refused', (kind, spec, code) => {
  expect(() => ask(kind, spec)).toThrow(expect.objectContaining({ code }));
});
