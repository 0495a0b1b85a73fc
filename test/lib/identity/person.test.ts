import { describe, expect, test } from 'vitest';
import { isPerson, mastersHint, notAPerson, samePerson, serviceAccountOf } from '../../../lib/identity/person.ts';

test.each([
  ['alice', true],
  ['oidc:alice@example.org', true],
  ['system:serviceaccount:team-a:ci', true],
  ['system:serviceaccount:team-a', false],
  ['system:serviceaccount::ci', false],
  ['system:serviceaccount:a:b:c', false],
  ['system:node:a', false],
  ['system:anonymous', false],
  ['system:kube-scheduler', false],
  ['systemx', true],
])('%s may be acted for: %s', (username, expected) => {
  expect(isPerson({ username })).toBe(expected);
  expect(notAPerson({ username })?.reason).toBe(expected ? undefined : 'RequesterNotAPerson');
});

test('a service account is read out of its user name', () => {
  expect(serviceAccountOf('system:serviceaccount:team-a:ci')).toEqual({ namespace: 'team-a', name: 'ci' });
  expect(serviceAccountOf('alice')).toBeUndefined();
});

describe('the same person', () => {
  test.each([
    [{ username: 'a' }, { username: 'a' }, true],
    [{ username: 'a', groups: ['x'] }, { username: 'a', groups: ['y'] }, true],
    [{ username: 'a', uid: '' }, { username: 'a' }, true],
    [{ username: 'a', uid: '1' }, { username: 'a', uid: '2' }, false],
    [{ username: 'a' }, { username: 'b' }, false],
    [{ username: 'a' }, undefined, false],
    [undefined, undefined, true],
  ])('%j and %j: %s', (a, b, expected) => expect(samePerson(a, b)).toBe(expected));
});

test('who acted for nobody is told what is missing', () => {
  expect(notAPerson(undefined)).toMatchObject({ reason: 'NoRequester', passes: false });
});

test('only a member of system:masters is told about it', () => {
  expect(mastersHint({ username: 'a', groups: ['system:masters'] })).toContain('bind a role to the user');
  expect([mastersHint({ username: 'a' }), mastersHint({ username: 'a', groups: ['x'] })]).toEqual(['', '']);
});
