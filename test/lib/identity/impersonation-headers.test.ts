import { describe, expect, test } from 'vitest';
import { ImpersonationRefused, impersonationHeaders } from '../../../lib/identity/impersonation-headers.ts';
import { fc } from '../../support/fast-check.ts';

test('user, uid, each group and each extra value are headers of their own', () => {
  const person = {
    username: 'alice',
    uid: 'u-1',
    groups: ['first', 'second'],
    extra: { 'example.org/scope': ['read', 'write'] },
  };
  expect(impersonationHeaders(person)).toEqual([
    ['Impersonate-User', 'alice'],
    ['Impersonate-Uid', 'u-1'],
    ['Impersonate-Group', 'first'],
    ['Impersonate-Group', 'second'],
    ['Impersonate-Extra-example.org%2Fscope', 'read'],
    ['Impersonate-Extra-example.org%2Fscope', 'write'],
  ]);
});

test('groups of the system and what names the credential are left out', () => {
  const person = {
    username: 'alice',
    groups: ['system:masters', 'system:authenticated', '', 'team'],
    extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=1'] },
  };
  expect(impersonationHeaders(person)).toEqual([
    ['Impersonate-User', 'alice'],
    ['Impersonate-Group', 'team'],
  ]);
});

test('a service account goes by its name alone', () => {
  const username = 'system:serviceaccount:team:ci';
  const person = { username, uid: 'u', groups: ['system:serviceaccounts', 'x'], extra: { 'example.org/a': ['b'] } };
  expect(impersonationHeaders(person)).toEqual([['Impersonate-User', username]]);
});

describe('refused is', () => {
  test.each(['', 'system:kube-scheduler', 'system:anonymous', 'system:node:n1', 'system:serviceaccount:only'])(
    'the user %j, whom no person is',
    (username) => expect(() => impersonationHeaders({ username })).toThrow(ImpersonationRefused),
  );

  test.each([' system:masters', 'admins ', '\tadmins', 'a\r\nImpersonate-Group: b', 'a\u0000b', '\ud800'])(
    'the group %j, which the server would read as another',
    (group) => {
      expect(() => impersonationHeaders({ username: 'eve', groups: [group] })).toThrow(ImpersonationRefused);
      expect(() => impersonationHeaders({ username: group })).toThrow(ImpersonationRefused);
      expect(() => impersonationHeaders({ username: 'eve', extra: { a: [group] } })).toThrow(ImpersonationRefused);
    },
  );
});

/** What the API server makes of a header's name and value. */
const decoded = ([name, value]: readonly [string, string]) => [
  decodeURIComponent(name.toLowerCase().replace('impersonate-extra-', '')),
  Buffer.from(value, 'latin1')
    .toString('utf8')
    .replaceAll(/^[\t ]+|[\t ]+$/g, ''),
];

test('whatever is sent is read by the server as it was stamped, keys with capitals too', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(' ', '%', 'Ä', '/', 'A', ':'), fc.string({ unit: 'binary' })),
  });
  fc.assert(
    fc.property(text, text, (key, value) => {
      fc.pre(key.isWellFormed() && key !== '' && key !== '__proto__' && !key.startsWith('authentication.'));
      try {
        const [, extra] = impersonationHeaders({ username: 'x', extra: { [key]: [value] } });
        if (extra === undefined) throw new Error('lost');
        expect(extra.join()).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
        expect(decoded(extra)).toEqual([key, value]);
      } catch (error) {
        expect(error).toBeInstanceOf(ImpersonationRefused);
      }
    }),
  );
});
