import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../lib/api/meta.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import { impersonate } from '../../../local/auth/impersonate.ts';
import { authorize, type Rule } from '../../../local/auth/rbac.ts';
import type { Attributes } from '../../../local/types.ts';
import { granted } from './rbac-objects.ts';

interface Case {
  name: string;
  rules: Rule[];
  local?: Rule[];
  headers: [string, string][];
  sender: string;
  userInfo?: Person;
  constraint?: string;
  code?: number;
  message?: string;
}

/** What kube-apiserver 1.37.2 answered to `create selfsubjectreviews` with these headers. */
const cases = JSON.parse(readFileSync(new URL('fixtures/kube-apiserver-1.37.json', import.meta.url), 'utf8')) as Case[];

const asking = (username: string): Attributes => ({
  user: { username },
  verb: 'create',
  group: 'authentication.k8s.io',
  version: 'v1',
  resource: 'selfsubjectreviews',
  subresource: '',
  namespace: '',
  name: '',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
});

function played({ sender, rules, local, headers }: Case) {
  const subjects = [{ kind: 'User', name: sender }];
  const rbac = granted({ rules, subjects }, local && { rules: local, subjects, namespace: 'demo' });
  try {
    return impersonate(headers, asking(sender), (attributes) => authorize(attributes, rbac).allowed);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe('impersonation comes out as on kube-apiserver 1.37.2', () => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const came = played(each);
    if (each.name === 'a node') expect(came).toBeInstanceOf(ApiError);
    else if (each.code === 400) expect(came).toMatchObject({ code: 400 });
    else if (each.message?.includes(`User "${each.sender}"`))
      expect(came).toMatchObject({ code: 403, message: worded(each.message) });
    else if (each.userInfo && each.userInfo.username !== each.sender) {
      expect(came).toEqual({
        user: each.userInfo,
        impersonated: each.userInfo,
        ...(each.constraint && { constraint: each.constraint }),
      });
    } else expect(came).not.toBeInstanceOf(ApiError);
  });
});

/** Of an invalid key kube-apiserver says further what a valid one is. */
const worded = (message: string) => message.replace(/extra\.key: Invalid value: ("[^"]*"): must be.*$/, '$1');

test('without headers the sender acts', () => {
  expect(impersonate([['Accept', 'x']], asking('a'), () => true)).toEqual({ user: { username: 'a' } });
});

test('an impersonated anonymous user is not made an authenticated one', () => {
  const { user } = impersonate([['Impersonate-User', 'system:anonymous']], asking('a'), () => true);
  expect(user.groups).toEqual(['system:unauthenticated']);
});

test('a header that names a prototype is a name like any other', () => {
  const headers = [
    ['impersonate-user', 'x'],
    ['impersonate-extra-__proto__', 'y'],
  ] as const;
  expect(() => impersonate(headers, asking('a'), ({ verb }) => verb !== 'impersonate')).toThrow('invalid key');
});
