import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../lib/api/meta.ts';
import { readManifests } from '../../lib/install/manifests.ts';

type Role = KubeObject & { rules?: { verbs: string[]; resources: string[]; resourceNames?: string[] }[] };
type Binding = KubeObject & { roleRef: { kind: string; name: string } };

const manifests = (folder: string) => readManifests(join(import.meta.dirname, '../../rbac', folder));
const bound = () =>
  manifests('project')
    .filter(({ kind }) => kind === 'RoleBinding')
    .map((one) => (one as Binding).roleRef);

test('whoever administers a namespace may bind just what a project binds', () => {
  const role = manifests('.').find(({ metadata }) => metadata.name === 'tiny-project-admin') as Role | undefined;
  expect(role?.rules).toHaveLength(1);
  const [rule] = role?.rules ?? [];
  expect(rule).toMatchObject({ verbs: ['bind'], resources: ['clusterroles'] });
  expect([...(rule?.resourceNames ?? [])].sort()).toEqual([...new Set(bound().map(({ name }) => name))].sort());
});

test('a project binds roles of the cluster alone, so that none has to be written there', () => {
  expect(bound().filter(({ kind }) => kind !== 'ClusterRole')).toEqual([]);
  expect(manifests('project').filter(({ kind }) => /Role$/.test(kind))).toEqual([]);
});

/** The accounts of the functions that Knative is given. */
const accounts = () =>
  ['base', 'slack', 'github']
    .flatMap((folder) => readManifests(join(import.meta.dirname, '../../knative', folder)))
    .filter(({ kind }) => kind === 'Service')
    .map((one) => (one as KubeObject & { spec: { template: { spec: { serviceAccountName: string } } } }).spec)
    .map(({ template }) => template.spec.serviceAccountName)
    .sort();

test('every function has an account, and on OpenShift its uid', () => {
  const made = manifests('.').filter(({ kind }) => kind === 'ServiceAccount');
  expect(made.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(accounts()));
  const [binding] = manifests('openshift') as (KubeObject & { subjects: { name: string }[] })[];
  expect(binding?.subjects.map(({ name }) => name).sort()).toEqual(accounts());
});

test('what a minimal project gives its agents is what any other does', () => {
  const rules = (folder: string) =>
    manifests(folder).find(({ kind, metadata }) => /Role$/.test(kind) && metadata.name === 'tiny-agent') as Role;
  expect(rules('minimal').rules).toEqual(rules('.').rules);
});
