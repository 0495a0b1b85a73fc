/** The policies that name fields name all: a field that is added to a schema is held, or is named here as free. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../lib/api/meta.ts';
import { readManifests } from '../../lib/install/manifests.ts';

interface Schema {
  properties?: Record<string, Schema>;
}
const ROOT = join(import.meta.dirname, '../..');
const policy = (name: string) => readFileSync(join(ROOT, `rbac/policies/verify/${name}.yaml`), 'utf8');

/** The schema below `path` of a kind. */
function schemaOf(kind: string, path: string): Schema {
  const definitions = readManifests(join(ROOT, 'crds')) as (KubeObject & {
    spec: { names: { kind: string }; versions: { schema: { openAPIV3Schema: Schema } }[] };
  })[];
  const found = definitions.find(({ spec }) => spec.names.kind === kind);
  const root = found?.spec.versions[0]?.schema.openAPIV3Schema;
  return path.split('.').reduce<Schema | undefined>((at, key) => at?.properties?.[key], root) ?? {};
}

/** Fields, of which those that hold others stand for these. */
const leaves = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([key, schema]) =>
    schema.properties ? Object.keys(schema.properties).map((below) => `${key}.${below}`) : [key],
  );

/** What a child may have otherwise than its parent: what it is to do, how much room it has, and when it rests. */
const FREE = [
  'prompt',
  'agent.model',
  'repository.ref',
  'repository.depth',
  'repository.author',
  'storage.size',
  'storage.className',
  'storage.accessMode',
  'storage.retain',
  'resources.requests',
  'resources.limits',
  'idle.suspendAfter',
  'idle.finishAfter',
  'idle.stalledAfter',
  'ttlAfterFinished',
];

test('a child is compared with its parent in every field but those that are free', () => {
  const said = policy('spawn').replaceAll('.?', '.');
  const compared = (path: string) => said.includes(`variables.asked.${path}`);
  const all = leaves(schemaOf('Question', 'spec.spawn.spec'));
  expect(all).toContain('agent.mode');
  expect(all.filter((path) => !compared(path)).sort()).toEqual([...FREE].sort());
});

test("an agent's to say is every field of a Session's status", () => {
  const [, list = ''] = /\[('conditions'[^\]]*)\]/.exec(policy('agent-reports')) ?? [];
  const fields = list.split(', ').map((one) => one.replaceAll("'", ''));
  expect(fields.sort()).toEqual(Object.keys(schemaOf('Session', 'status').properties ?? {}).sort());
});

test('what was asked stays in every field but the answer', () => {
  const rules = JSON.stringify(readManifests(join(ROOT, 'crds')));
  const fields = Object.keys(schemaOf('Question', 'spec').properties ?? {});
  expect(fields.filter((field) => !rules.includes(`has(self.${field}) == has(oldSelf.${field})`))).toEqual(['answer']);
});
