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
  const path = (of: string) => ({ nonResourceAttributes: { path: of, verb: 'get' } });
  for (const [spec, allowed] of [
    [getPods, true],
    [path('/healthz'), true],
    [path('/x'), false],
  ] as const)
    expect(ask('SelfSubjectAccessReview', spec)).toEqual({ allowed });
});

test('what one may do', () => {
  expect(ask('SelfSubjectRulesReview', { namespace: 'demo' })).toEqual({
    resourceRules: [pods],
    nonResourceRules: [healthz],
    incomplete: false,
  });
});

test.each([
  ['SelfSubjectAccessReview', {}, 400],
  ['SelfSubjectRulesReview', {}, 400],
])('a %s that asks nothing is refused', (kind, spec, code) => {
  expect(() => ask(kind, spec)).toThrow(expect.objectContaining({ code }));
});
