import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { applyAll, resourceTypeOf } from '../../../lib/install/apply.ts';
import { readManifests } from '../../../lib/install/manifests.ts';
import { apiError, type Hooks, MemoryServer } from '../../support/memory-client.ts';

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const manifest = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name);

describe('manifests', () => {
  test('of a folder come by the names of their files', () => {
    const folder = folderOf({ 'b.yaml': manifest('b'), 'a.yml': manifest('a'), 'README.md': 'no' });
    expect(names(readManifests(folder))).toEqual(['a', 'b']);
  });

  test('of a kustomization come in its order, folders too', () => {
    const folder = folderOf({
      'kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [b.yaml, sub]',
      'a.yaml': manifest('a'),
      'b.yaml': manifest('b'),
      'sub/c.yaml': manifest('c'),
    });
    expect(names(readManifests(folder))).toEqual(['b', 'c']);
  });

  test('of a file are all its documents, empty ones aside', () => {
    const folder = folderOf({ 'a.yaml': `---\n${manifest('a')}---\n# nothing\n---\n${manifest('b')}` });
    expect(names(readManifests(join(folder, 'a.yaml')))).toEqual(['a', 'b']);
  });

  test('of a kustomization that does more than list are refused, by what it does', () => {
    const folder = folderOf({ 'kustomization.yaml': 'resources: []\nnamePrefix: x\nimages: []' });
    expect(() => readManifests(folder)).toThrow(/kustomization\.yaml has namePrefix, images, which is not read here/);
  });

  test('that are broken are no half of something', () => {
    const folder = folderOf({ 'a.yaml': `${manifest('a')}---\nkind: [` });
    expect(() => readManifests(folder)).toThrow(/a\.yaml/);
  });

  test.each(['crds', 'rbac', 'knative', 'rbac/project'])('of %s here can all be read', (folder) => {
    for (const { apiVersion, kind, metadata } of readManifests(folder)) {
      expect([typeof apiVersion, typeof kind, typeof metadata.name]).toEqual(['string', 'string', 'string']);
    }
  });
});

test.each([
  ['v1', 'Namespace', '', 'v1', 'namespaces', false],
  ['v1', 'ServiceAccount', '', 'v1', 'serviceaccounts', true],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networking.k8s.io', 'v1', 'networkpolicies', true],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'rbac.authorization.k8s.io', 'v1', 'clusterroles', false],
  ['eventing.knative.dev/v1', 'Broker', 'eventing.knative.dev', 'v1', 'brokers', true],
  [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'apiextensions.k8s.io',
    'v1',
    'customresourcedefinitions',
    false,
  ],
])('%s %s is served as %j', (...[apiVersion, kind, group, version, plural, namespaced]) => {
  expect(resourceTypeOf({ apiVersion, kind, metadata: { name: 'x' } })).toEqual({
    group,
    version,
    kind,
    plural,
    namespaced,
  });
});

describe('applying', () => {
  const map: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const type = resourceTypeOf(map);

  function given(hooks: Hooks = {}) {
    const server = new MemoryServer(hooks);
    const waits: number[] = [];
    const wait = async (ms: number) => waits.push(ms);
    const apply = (objects: KubeObject[], more = {}) => applyAll(server.client('tiny'), objects, { wait, ...more });
    return { server, waits, apply };
  }

  test('fills in the namespace where none is named, and never of what has none', async () => {
    const { server, apply } = given();
    const named = { ...map, metadata: { name: 'n', namespace: 'own' } };
    await apply([map, named, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }], { namespace: 'given' });
    expect(server.peek(type, { name: 'm', namespace: 'given' })).toBeDefined();
    expect(server.peek(type, { name: 'n', namespace: 'own' })).toBeDefined();
    expect(server.peek({ ...type, plural: 'namespaces' }, { name: 'x' })).toBeDefined();
  });

  test('fills in the namespace of service accounts that are bound', async () => {
    const { server, apply } = given();
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'b' },
      subjects: [
        { kind: 'ServiceAccount', name: 'a' },
        { kind: 'ServiceAccount', name: 'b', namespace: 'own' },
        { kind: 'User', name: 'u' },
      ],
    };
    await apply([binding], { namespace: 'given' });
    expect(server.peek(resourceTypeOf(binding), { name: 'b', namespace: 'given' })).toMatchObject({
      subjects: [{ namespace: 'given' }, { namespace: 'own' }, { kind: 'User', name: 'u' }],
    });
  });

  test('waits for a kind that is not served yet', async () => {
    let asked = 0;
    const { apply, waits } = given({
      before: () => {
        if (++asked < 4) throw apiError(404, 'NotFound', 'the server could not find the requested resource');
      },
    });
    await apply([map], { namespace: 'n' });
    expect(waits).toEqual([100, 100, 100]);
  });

  test('waits no longer than it is told, and for no other refusal', async () => {
    const never = (code: number) =>
      given({
        before: () => {
          throw apiError(code, 'X', 'no');
        },
      });
    const gone = never(404);
    await expect(gone.apply([map], { patience: 300 })).rejects.toMatchObject({ code: 404 });
    expect(gone.waits).toHaveLength(3);
    const forbidden = never(403);
    await expect(forbidden.apply([map])).rejects.toMatchObject({ code: 403 });
    expect(forbidden.waits).toEqual([]);
  });
});
