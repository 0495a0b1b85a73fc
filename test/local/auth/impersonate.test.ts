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

/** As node gives them. */
const distinct = (headers: readonly (readonly [string, string])[]) => {
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.map(([, value]) => value)]));
};

function played({ sender, rules, local, headers }: Case) {
  const subjects = [{ kind: 'User', name: sender }];
  const rbac = granted({ rules, subjects }, local && { rules: local, subjects, namespace: 'demo' });
  try {
    return impersonate(distinct(headers), asking(sender), (attributes) => authorize(attributes, rbac));
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
      expect(came).toMatchObject({ code: 403, message: each.message });
    else if (each.userInfo && each.userInfo.username !== each.sender) {
      expect(came).toEqual({
        user: each.userInfo,
        ...(each.constraint && { constraint: each.constraint }),
      });
    } else expect(came).not.toBeInstanceOf(ApiError);
  });
});

test('without headers the sender acts', () => {
  expect(impersonate({ accept: ['x'] }, asking('a'), () => true)).toBeUndefined();
});

test('an impersonated anonymous user is not made an authenticated one', () => {
  const acting = impersonate({ 'impersonate-user': ['system:anonymous'] }, asking('a'), () => true);
  expect(acting?.user.groups).toEqual(['system:unauthenticated']);
});

test('a header that names a prototype is a name like any other', () => {
  const headers = { 'impersonate-user': ['x'], 'impersonate-extra-__proto__': ['y'] };
  const acting = impersonate(headers, asking('a'), () => true);
  expect(Object.entries(acting?.user.extra ?? {})).toEqual([['__proto__', ['y']]]);
});
