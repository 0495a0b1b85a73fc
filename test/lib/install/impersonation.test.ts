import { describe, expect, test } from 'vitest';
import { ImpersonationRefused } from '../../../lib/identity/impersonation-headers.ts';
import { makeImpersonation } from '../../../lib/install/impersonation.ts';

const rulesOf = (people: Parameters<typeof makeImpersonation>[0]) =>
  makeImpersonation(people).flatMap((object) => {
    const { kind, metadata, rules } = object as typeof object & {
      rules?: { resources: string[]; resourceNames: string[] }[];
    };
    return (rules ?? []).map(({ resources, resourceNames }) => [
      kind,
      metadata.namespace ?? '',
      ...resources,
      ...resourceNames,
    ]);
  });

describe('the classic verb is granted', () => {
  test('on exactly what the headers of each person say', () => {
    const alice = {
      username: 'alice',
      uid: 'u',
      groups: ['team', 'system:masters', 'system:authenticated'],
      extra: { 'example.com/scopes': ['a', 'b'], 'authentication.kubernetes.io/credential-id': ['x'] },
    };
    expect(rulesOf([alice, { username: 'bob', groups: ['team', 'sre'] }])).toEqual([
      ['ClusterRole', '', 'users', 'alice', 'bob'],
      ['ClusterRole', '', 'groups', 'sre', 'team'],
      ['ClusterRole', '', 'uids', 'u'],
      ['ClusterRole', '', 'userextras/example.com/scopes', 'a', 'b'],
    ]);
  });

  test('on a service account in its own namespace alone', () => {
    expect(rulesOf([{ username: 'system:serviceaccount:ci:bot' }])).toEqual([['Role', 'ci', 'serviceaccounts', 'bot']]);
  });

  test('on no part of Kubernetes, and never without names', () => {
    expect(() => makeImpersonation([{ username: 'system:kube-scheduler' }])).toThrow(ImpersonationRefused);
    expect(makeImpersonation([])).toEqual([]);
  });
});
