import { describe, expect, test } from 'vitest';
import { namedPeople, peopleOf } from '../../../cli/install/named.ts';
import { readPeople } from '../../../cli/install/people.ts';
import type { KubeObject } from '../../../lib/api/meta.ts';
import type { Client, ResourceType } from '../../../lib/kube/types.ts';

const ALICE = { username: 'alice', uid: 'u', groups: ['team'], extra: { scopes: ['read'] } };

describe('people in a file', () => {
  test.each([
    ['one', JSON.stringify({ ...ALICE, namespace: 'default', knative: true }), [ALICE]],
    ['a list', JSON.stringify([ALICE, { username: 'bob' }]), [ALICE, { username: 'bob' }]],
  ])('%s, as whoami tells them', (_, text, people) => expect(readPeople(text, 'p.json')).toEqual(people));

  test.each([['no JSON'], ['{}'], ['[{"username":""}]'], ['[{"username":"a","groups":"team"}]']])(
    '%s is nobody',
    (text) => expect(() => readPeople(text, 'p.json')).toThrow('p.json holds no people'),
  );
});

test('who is named alone carries the groups that are named', () => {
  expect(peopleOf({ impersonate: ['bob'], impersonateGroup: ['team'], people: [ALICE] })).toEqual([
    { username: 'bob', groups: ['team'] },
    ALICE,
  ]);
});

describe('whom an earlier installation named', () => {
  /** A cluster that holds these, and no more. */
  const holding = (...objects: KubeObject[]) =>
    ({
      list: async ({ kind }: ResourceType) => ({ items: objects.filter((one) => one.kind === kind) }),
    }) as unknown as Client;
  const role = (kind: string, name: string, namespace?: string): KubeObject =>
    ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name, ...(namespace && { namespace }) },
      rules: [{ verbs: ['impersonate'] }],
    }) as KubeObject;
  const rulesOf = (objects: KubeObject[]) =>
    objects
      .filter(({ kind }) => /Role$/.test(kind))
      .map((one) => [one.kind, one.metadata.namespace, (one as KubeObject & { rules: object[] }).rules.length]);

  test('and this one does not is acted for no more', async () => {
    const client = holding(role('ClusterRole', 'tiny-impersonate'), role('Role', 'tiny-impersonate', 'ci'));
    expect(rulesOf(await namedPeople(client, {}))).toEqual([
      ['ClusterRole', undefined, 0],
      ['Role', 'ci', 0],
    ]);
    const named = { impersonate: ['system:serviceaccount:ci:bot'] };
    expect(rulesOf(await namedPeople(client, named))).toEqual([
      ['Role', 'ci', 1],
      ['ClusterRole', undefined, 0],
    ]);
  });

  test("is nobody else's role", async () => {
    const client = holding(role('ClusterRole', 'impersonate'), role('Role', 'other', 'ci'));
    expect(await namedPeople(client, {})).toEqual([]);
  });
});
