import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Broker, Trigger } from '@kubernetes-models/knative/eventing.knative.dev/v1';
import { Service } from '@kubernetes-models/knative/serving.knative.dev/v1';
import { ApiServerSource, PingSource } from '@kubernetes-models/knative/sources.knative.dev/v1';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../lib/api/meta.ts';
import { withKafka } from '../../lib/install/eventing.ts';
import { readManifests } from '../../lib/install/manifests.ts';

const ROOT = join(import.meta.dirname, '../..');
const at = (path: string) => join(ROOT, path);

// biome-ignore lint/suspicious/noExplicitAny: each model takes its own kind's data
type Model = new (data: any) => { validate(): void };
const MODELS: Record<string, [Model, where: string, type: string]> = {
  ApiServerSource: [ApiServerSource, 'sources', 'IApiServerSource'],
  Broker: [Broker, 'eventing', 'IBroker'],
  PingSource: [PingSource, 'sources', 'IPingSource'],
  Service: [Service, 'serving', 'IService'],
  Trigger: [Trigger, 'eventing', 'ITrigger'],
};
const objects = readManifests(at('knative'));
/** Functions that others call, each installed where somebody wants it. */
const called = ['slack', 'github'].flatMap((name) => readManifests(at(`knative/${name}`))) as (KubeObject & {
  spec: never;
})[];
const all = [...called, ...objects, ...objects.map(withKafka)];
const names = (list: readonly KubeObject[]) => list.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe("Knative's own schemas", () => {
  test.each(all.map((object, index) => [names(all)[index], object] as const))('take %s', (_, object) => {
    const [model] = MODELS[object.kind] ?? [];
    if (!model) throw new Error(`no schema of ${object.kind}`);
    expect(() => new model(object).validate()).not.toThrow();
  });

  test('refuse a field of another type', () => {
    const trigger = objects.find(({ kind }) => kind === 'Trigger') as KubeObject & { spec: object };
    expect(() => new Trigger({ ...trigger, spec: { ...trigger.spec, broker: 5 } } as never).validate()).toThrow();
  });

  /** The schemas let unknown fields through; the compiler does not. */
  function compiled(of: readonly KubeObject[]): string {
    const folder = mkdtempSync(at('node_modules/.tiny-knative-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const lines = of.map((object, index) => {
      const [, where, type] = MODELS[object.kind] ?? [];
      return `import type { ${type} as T${index} } from '@kubernetes-models/knative/${where}.knative.dev/v1';
export const o${index}: T${index} = ${JSON.stringify(object)};`;
    });
    const file = join(folder, 'check.ts');
    writeFileSync(file, lines.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
    return spawnSync(at('node_modules/.bin/tsc'), [...options, '--ignoreConfig', file]).stdout.toString();
  }

  /** `filters` of a Trigger is newer than these schemas, which are the newest for the Node that npm may run on. */
  const withoutFilters = (object: KubeObject): KubeObject => {
    const { filters: _, ...spec } = (object as KubeObject & { spec: { filters?: unknown } }).spec;
    return { ...object, spec } as KubeObject;
  };

  test('know every field that is used', () => expect(compiled(all.map(withoutFilters))).toBe(''));

  test('know no field that is misspelt', () => {
    const [broker] = objects as (KubeObject & { spec: object })[];
    expect(compiled([{ ...broker, spec: { ...broker?.spec, retries: 3 } } as never])).toContain('retries');
  });
});

describe('events', () => {
  const of = (kind: string) => objects.filter((object) => object.kind === kind) as (KubeObject & { spec: never })[];

  test('of one dead function hold up no other: the broker is asynchronous from its creation on', () => {
    expect(of('Broker')[0]?.metadata.annotations).toMatchObject({ 'messaging.knative.dev/async-handler': 'true' });
  });

  test('are tried a few times, each trigger by its own delivery', () => {
    for (const { spec } of of('Trigger'))
      expect(spec).toMatchObject({ delivery: { retry: 5, backoffPolicy: 'exponential' } });
  });

  test('come of one watch a kind over all namespaces, by reference', () => {
    expect(of('ApiServerSource')[0]?.spec).toMatchObject({ mode: 'Reference', namespaceSelector: {} });
  });

  test('wake functions that are at zero otherwise, with a token of ten minutes and no more rights than the account has', () => {
    const services = [...of('Service'), ...called.filter(({ kind }) => kind === 'Service')];
    expect(services.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['session', 'question', 'sweep', 'dead-letters', 'slack', 'github']),
    );
    for (const { spec } of services as (KubeObject & { spec: { template: { spec: { volumes: object[] } } } })[]) {
      expect(spec).toMatchObject({
        template: {
          metadata: { annotations: { 'autoscaling.knative.dev/min-scale': '0' } },
          spec: { automountServiceAccountToken: false },
        },
      });
      expect(spec.template.spec.volumes[0]).toMatchObject({
        projected: { sources: [{ serviceAccountToken: { expirationSeconds: 600 } }, {}] },
      });
    }
  });

  test('tell people with a token that is mounted where there is one; what verifies a request, function slack alone has', () => {
    const volumesOf = (name: string) =>
      [...of('Service'), ...called].flatMap(({ metadata, spec }) =>
        metadata.name === name
          ? (spec as unknown as { template: { spec: { volumes: object[] } } }).template.spec.volumes
          : [],
      );
    const items = ['bot-token', 'webhook-secret'].map((key) => ({ key, path: key }));
    expect(volumesOf('question')).toContainEqual({
      name: 'channels',
      secret: { secretName: 'tiny-channels', optional: true, items },
    });
    expect(volumesOf('slack')).toContainEqual({
      name: 'identities',
      secret: { secretName: 'tiny-identities', optional: true },
    });
    expect(JSON.stringify(volumesOf('session'))).not.toContain('secretName');
  });

  test('that no retry could deliver are kept, whichever trigger they were for', () => {
    const triggers = [...of('Trigger'), ...called.filter(({ kind }) => kind === 'Trigger')];
    for (const { spec } of triggers)
      expect(spec).toMatchObject({ delivery: { deadLetterSink: { ref: { name: 'dead-letters' } } } });
  });

  test('are not what the sweep waits for: its schedule goes straight to it', () => {
    expect(of('PingSource').map(({ spec }) => spec)).toEqual([
      { schedule: '*/5 * * * *', sink: { ref: expect.objectContaining({ kind: 'Service', name: 'sweep' }) } },
    ]);
  });
});

const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!kubectl) process.stderr.write('SKIPPED: there is no kubectl to build kustomizations with.\n');

describe.skipIf(!kubectl)('kubectl kustomize', () => {
  /** Two readers of YAML fold a long text's lines differently; CEL takes either. */
  const folded = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'string' ? one.replace(/\s+/g, ' ') : one));
  const built = (folder: string): KubeObject[] =>
    parseAllDocuments(execFileSync('kubectl', ['kustomize', at(folder)]).toString()).map((one) => one.toJS());
  const byName = (list: readonly KubeObject[]) => folded([...list]).sort((a, b) => (names([a]) < names([b]) ? -1 : 1));
  const folders = globSync('{rbac,knative}/**/kustomization.yaml', { cwd: ROOT }).map(dirname).sort();

  test('there are overlays', () => expect(folders).toContain('knative/kafka'));

  test.each(folders)('builds %s', (folder) => expect(built(folder).length).toBeGreaterThan(0));

  test.each(folders.filter((folder) => !/kafka/.test(folder)))('reads %s as `tiny install` does', (folder) => {
    expect(byName(built(folder))).toEqual(byName(readManifests(at(folder))));
  });

  test('makes the same of Kafka as `tiny install` does', () => {
    expect(byName(built('knative/kafka'))).toEqual(byName(objects.map(withKafka)));
  });
});
