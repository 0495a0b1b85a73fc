import { describe, expect, test } from 'vitest';
import type { Person } from '../../../lib/api/meta.ts';
import { authorize, forbidden, type Rule, rulesFor } from '../../../local/auth/rbac.ts';
import type { Attributes, Rbac, Stored } from '../../../local/types.ts';
import { granted, type Subject } from './rbac-objects.ts';

const alice: Person = { username: 'alice', groups: ['dev', 'system:authenticated'] };

const asks = (over: Partial<Attributes> = {}): Attributes => ({
  user: alice,
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'demo',
  name: '',
  path: '',
  ...over,
});

const rule = (over: Partial<Rule>): Rule => ({ apiGroups: [''], resources: ['pods'], verbs: ['get'], ...over });
const may = (rules: Rule[], attributes: Attributes, subjects: Subject[] = [{ kind: 'User', name: 'alice' }]) =>
  authorize(attributes, granted({ rules, subjects }));

describe('a rule', () => {
  test.each<[string, Rule, Partial<Attributes>, boolean]>([
    ['allows its verb', rule({}), {}, true],
    ['allows no other verb', rule({}), { verb: 'list' }, false],
    ['allows every verb by *', rule({ verbs: ['*'] }), { verb: 'impersonate-on:user-info:get' }, true],
    [
      'does not take a part of a verb for it',
      rule({ verbs: ['impersonate'] }),
      { verb: 'impersonate:user-info' },
      false,
    ],
    ['allows no other group', rule({}), { group: 'apps' }, false],
    ['allows every group by *', rule({ apiGroups: ['*'] }), { group: 'apps' }, true],
    ['does not allow a subresource', rule({}), { subresource: 'log' }, false],
    ['allows a subresource that it names', rule({ resources: ['pods/log'] }), { subresource: 'log' }, true],
    ['of a subresource does not allow the resource', rule({ resources: ['pods/log'] }), {}, false],
    ['allows a subresource of every resource', rule({ resources: ['*/status'] }), { subresource: 'status' }, true],
    ['of */status allows no other subresource', rule({ resources: ['*/status'] }), { subresource: 'log' }, false],
    ['does not read pods/* as a wildcard', rule({ resources: ['pods/*'] }), { subresource: 'log' }, false],
    ['allows everything by *', rule({ resources: ['*'] }), { resource: 'secrets', subresource: 'x' }, true],
    ['allows the name that it names', rule({ resourceNames: ['a'] }), { name: 'a' }, true],
    ['allows no other name', rule({ resourceNames: ['a'] }), { name: 'b' }, false],
    ['with names does not allow a list', rule({ verbs: ['list'], resourceNames: ['a'] }), { verb: 'list' }, false],
    ['allows a path', { verbs: ['get'], nonResourceURLs: ['/x'] }, { resource: '', path: '/x' }, true],
    ['allows paths below', { verbs: ['get'], nonResourceURLs: ['/x/*'] }, { resource: '', path: '/x/y' }, true],
    ['allows no other path', { verbs: ['get'], nonResourceURLs: ['/x/*'] }, { resource: '', path: '/x' }, false],
    ['of resources allows no path', rule({ resources: ['*'] }), { resource: '', path: '/x' }, false],
  ])('%s', (...[, given, over, allowed]) => {
    expect(may([given], asks(over))).toBe(allowed);
  });
});

describe('a subject', () => {
  const bot = { username: 'system:serviceaccount:demo:bot', groups: ['system:serviceaccounts'] };
  test.each<[string, Person, Subject, boolean]>([
    ['is a user by name', alice, { kind: 'User', name: 'alice' }, true],
    ['is a group', alice, { kind: 'Group', name: 'dev' }, true],
    ['is not a group of that user name', alice, { kind: 'Group', name: 'alice' }, false],
    ['is a service account', bot, { kind: 'ServiceAccount', name: 'bot', namespace: 'demo' }, true],
    ['is not one of another namespace', bot, { kind: 'ServiceAccount', name: 'bot', namespace: 'x' }, false],
    ['needs a namespace in a cluster role binding', bot, { kind: 'ServiceAccount', name: 'bot' }, false],
  ])('%s', (...[, user, subject, allowed]) => {
    expect(may([rule({})], asks({ user }), [subject])).toBe(allowed);
  });
});

test('a role binding holds in its namespace alone', () => {
  const given = { rules: [rule({})], subjects: [{ kind: 'ServiceAccount', name: 'bot' }], namespace: 'demo' };
  const user = { username: 'system:serviceaccount:demo:bot' };
  const rbac = granted(undefined, given);
  expect(authorize(asks({ user }), rbac)).toBe(true);
  expect(authorize(asks({ user, namespace: 'other' }), rbac)).toBe(false);
  expect(authorize(asks({ user, namespace: '' }), rbac)).toBe(false);
});

test('system:masters may do everything', () => {
  expect(may([], asks({ user: { username: 'root', groups: ['system:masters'] } }))).toBe(true);
});

const clusterRole = (name: string, labels: Record<string, string>, rest: object): Stored => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  ...rest,
});

test('an aggregated role has the rules of the roles that it selects, and of those that they select', () => {
  const selecting = (matchLabels: object) => ({ aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } });
  const roles = [
    clusterRole('r', { loop: '1' }, selecting({ to: 'r' })),
    clusterRole('a', { to: 'r' }, { rules: [rule({})] }),
    clusterRole('b', { to: 'r' }, selecting({ loop: '1' })),
    clusterRole('c', { loop: '1' }, { rules: [rule({ verbs: ['list'] })] }),
    clusterRole('d', { to: 'q' }, { rules: [rule({ verbs: ['delete'] })] }),
  ];
  const bound = granted({ rules: [], subjects: [{ kind: 'User', name: 'alice' }] });
  const rbac: Rbac = (plural, namespace) => (plural === 'clusterroles' ? roles : bound(plural, namespace));
  expect(rulesFor(alice, 'demo', rbac).flatMap(({ verbs }) => verbs)).toEqual(['get', 'list']);
});

test('a binding of a role that is missing gives nothing', () => {
  const bound = granted({ rules: [rule({})], subjects: [{ kind: 'User', name: 'alice' }] });
  expect(authorize(asks(), (plural) => (plural === 'clusterroles' ? [] : bound(plural)))).toBe(false);
});

describe('a refusal is worded as Kubernetes words it', () => {
  test.each<[Partial<Attributes>, string]>([
    [
      { user: { username: 'carol' }, verb: 'patch', group: 'tiny.dev', resource: 'sessions', name: 'x' },
      'sessions.tiny.dev "x" is forbidden: User "carol" cannot patch resource "sessions" in API group "tiny.dev" in the namespace "demo"',
    ],
    [
      { subresource: 'log', namespace: '' },
      'pods is forbidden: User "alice" cannot get resource "pods/log" in API group "" at the cluster scope',
    ],
    [{ resource: '', path: '/metrics' }, 'forbidden: User "alice" cannot get path "/metrics"'],
  ])('%o', (over, message) => {
    expect(forbidden(asks(over))).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });

  test('with the reason after it', () => {
    expect(forbidden(asks(), 'because').message).toMatch(/"demo": because$/);
  });
});
