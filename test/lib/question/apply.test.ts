import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { type Client, CONFIG_MAPS } from '../../../lib/kube/types.ts';
import { applyProposal } from '../../../lib/question/apply-act.ts';
import { DEFAULT_KINDS, isMore, notAllowed } from '../../../lib/question/apply-allowed.ts';
import { changesOf, digestOf } from '../../../lib/question/apply-changes.ts';
import { manifestOf, objectOf } from '../../../lib/question/apply-manifest.ts';
import { planQuestion } from '../../../lib/question/plan.ts';
import { MemoryServer } from '../../support/memory-client.ts';
import { BOB, makeQuestion, NOW } from '../../support/objects.ts';

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app' }, data: { level: 'warn' } };
const of = (more: object = {}) => manifestOf({ ...CONFIG, ...more }, 'team-a');
const live = (more: object = {}): KubeObject => ({
  ...CONFIG,
  ...more,
  metadata: { name: 'app', namespace: 'team-a', uid: 'u', resourceVersion: '7', managedFields: [] },
});

describe('a proposed object', () => {
  test('is whole again, where it was proposed without a namespace in the project', () => {
    const manifest = of({ metadata: { name: 'app', labels: { b: '2', a: '1' } } });
    expect(manifest).toEqual({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team-a', name: 'app' },
      fields: '{"data":{"level":"warn"},"metadata":{"labels":{"a":"1","b":"2"}}}',
    });
    expect(objectOf(manifest)).toEqual({
      ...CONFIG,
      metadata: { labels: { a: '1', b: '2' }, namespace: 'team-a', name: 'app' },
    });
  });

  test.each([
    ['another kind', '{"apiVersion":"v1","kind":"Secret"}', 'says apiVersion a second time'],
    ['another name', '{"metadata":{"name":"tiny-settings"}}', 'sets metadata.name'],
    ['another namespace', '{"metadata":{"namespace":"kube-system"}}', 'sets metadata.namespace'],
    ['an owner', '{"metadata":{"ownerReferences":[]}}', 'sets metadata.ownerReferences'],
    ['a finalizer', '{"metadata":{"finalizers":[]}}', 'sets metadata.finalizers'],
    ['a mark of a Session', '{"metadata":{"labels":{"tiny.dev/session":"s"}}}', 'which tiny alone sets'],
    ['a key twice', '{"data":{"a":"1"},"data":{"a":"2"}}', 'not written in the one way'],
    ['blanks', '{"data": {}}', 'not written in the one way'],
    ['a prototype', '{"__proto__":{"kind":"Secret"},"a":1,"a":1}', 'not written in the one way'],
    ['a number that no JSON keeps', '{"n":12345678901234567890}', 'not written in the one way'],
    ['no object', '[]', 'no JSON object'],
    ['no JSON', '{a}', 'no JSON'],
    ['a status', '{"status":{}}', 'sets status'],
  ])('that says %s in its fields is refused', (_what, fields, words) => {
    expect(() => objectOf({ ...of(), fields })).toThrow(words);
  });

  test('that generates its name, or is no object, is refused', () => {
    expect(() => manifestOf({ ...CONFIG, metadata: { generateName: 'x-' } }, 'p')).toThrow('lacks');
    for (const wrong of [null, 'text', [], {}]) expect(() => manifestOf(wrong, 'p')).toThrow();
  });
});

describe('what may be proposed', () => {
  const deployment = manifestOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }, 'team-a');

  test('without settings: kinds that start no pod, in the project', () => {
    expect(notAllowed(of(), 'team-a')).toBeUndefined();
    expect(isMore(of(), 'team-a')).toBe(false);
    expect(notAllowed(deployment, 'team-a')).toContain(`kind Deployment.apps is not applied`);
    expect(notAllowed({ ...of(), namespace: 'team-b' }, 'team-a')).toContain('in these it is: team-a');
    expect([deployment, { ...of(), namespace: 'team-b' }].every((one) => isMore(one, 'team-a'))).toBe(true);
    expect(DEFAULT_KINDS).not.toContain('Pod');
  });

  test('with settings: what they name, and nothing else', () => {
    const settings = { 'apply.kinds': ' Deployment.apps \n\n', 'apply.namespaces': 'team-b' };
    expect(notAllowed({ ...deployment, namespace: 'team-b' }, 'team-a', settings)).toBeUndefined();
    expect(notAllowed(deployment, 'team-a', settings)).toContain('in these it is: team-b');
    expect(notAllowed(of(), 'team-a', settings)).toContain('kind ConfigMap is not applied');
    expect(notAllowed(of(), 'team-a', { 'apply.kinds': '' })).toBeDefined();
  });

  test.each([
    ['tiny.dev/v1alpha1', 'Session', 'x'],
    ['v1', 'Secret', 'x'],
    ['v1', 'ConfigMap', 'tiny-settings'],
  ])('never %s %s %s, whatever the settings say', (apiVersion, kind, name) => {
    const settings = { 'apply.kinds': 'Session.tiny.dev\nSecret\nConfigMap' };
    expect(notAllowed({ ...of(), apiVersion, kind, name }, 'team-a', settings)).toContain('never applied for an agent');
  });

  test('a kind goes by its group', () => {
    const mine = { ...of(), apiVersion: 'example.com/v1' };
    expect(notAllowed(mine, 'team-a')).toContain('kind ConfigMap.example.com');
  });
});

describe('what it changes', () => {
  const changes = (before: KubeObject | undefined, after: KubeObject, manifest = of()) =>
    changesOf(manifest, before, after);

  test('is each value, before and after; bookkeeping is no change', () => {
    const after = live({ data: { level: 'warn', 'app.yaml': 'a: 1\n' } });
    const booked = { ...after, metadata: { ...after.metadata, resourceVersion: '8', generation: 2 } };
    expect(changes(live({ data: { level: 'info' } }), booked)).toEqual([
      { path: 'data."app.yaml"', after: 'a: 1\n' },
      { path: 'data.level', before: 'info', after: 'warn' },
    ]);
    expect(changes(booked, after)).toEqual([]);
    expect(changes(after, live())).toEqual([{ path: 'data."app.yaml"', before: 'a: 1\n' }]);
  });

  test('names the items of lists by their names, and says another order', () => {
    const container = (name: string, image: string) => ({ name, image });
    const spec = (...containers: object[]) => live({ spec: { containers } });
    const [a, b] = [container('a', '1'), container('b', '1')];
    expect(changes(spec(a, b), spec(a, container('b', '2')))).toEqual([
      { path: 'spec.containers[b].image', before: '1', after: '2' },
    ]);
    expect(changes(spec(a), spec(b, a)).map(({ path }) => path)).toEqual([
      'spec.containers[b].image',
      'spec.containers[b].name',
    ]);
    expect(changes(spec(a, b), spec(b, a)).length).toBeGreaterThan(0);
  });

  test('does not count what the server picks anew at each dry run, unless it was asked for', () => {
    const service = (clusterIP: string, nodePort: number) =>
      live({ spec: { clusterIP, ports: [{ port: 1, nodePort }] } });
    expect(changes(undefined, service('10.0.0.1', 30000))).toEqual(changes(undefined, service('10.0.0.2', 30001)));
    const asked = of({ spec: { ports: [{ nodePort: 30000, port: 1 }] } });
    expect(changes(undefined, service('10.0.0.1', 30000), asked)).toContainEqual({
      path: 'spec.ports[0].nodePort',
      after: 30000,
    });
  });

  test('has a digest of its own for every object, every one of that name, and every change', () => {
    const before = live({ data: { level: 'info' } });
    const [change] = changes(before, live());
    const other = { ...before, metadata: { ...before.metadata, uid: 'another' } };
    const digests = [
      digestOf(of(), before, [change ?? { path: '' }]),
      digestOf(of(), undefined, [change ?? { path: '' }]),
      digestOf(of(), other, [change ?? { path: '' }]),
      digestOf(of(), before, []),
      digestOf({ ...of(), namespace: 'team-b' }, before, []),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('a yes to an Apply', () => {
  const spec = { kind: 'Apply', spawn: undefined, apply: { objects: [of()] } };

  test('applies as the answerer, bound to what they were shown', () => {
    const shown = ['0'.repeat(64)];
    const plan = planQuestion(makeQuestion({ spec: { ...spec, answer: { option: 'allow', shown, by: BOB } } }), NOW);
    expect(plan).toMatchObject({ actor: BOB, apply: { namespace: 'team-a', proposal: spec.apply, shown } });
    expect(plan.report?.conditions[1]).toMatchObject({
      reason: 'Applied',
      message: 'bob applied ConfigMap team-a/app',
    });
  });

  test('by nobody applies nothing; a no is told', () => {
    const answered = (answer: object) => planQuestion(makeQuestion({ spec: { ...spec, answer } }), NOW);
    expect(answered({ option: 'allow' })).toMatchObject({ refusal: { reason: 'NoRequester' } });
    expect(answered({ option: 'deny', by: BOB })).toMatchObject({ ensure: [], report: {} });
    expect(answered({ option: 'deny', by: BOB }).apply).toBeUndefined();
  });
});

describe('another namespace', () => {
  const proposal = { objects: [{ ...of(), namespace: 'team-b' }] };
  const settings = (data: Record<string, string>, namespace: string): KubeObject =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'tiny-settings' }, data }) as KubeObject;
  const refused = async (theirs?: Record<string, string>) => {
    const server = new MemoryServer();
    server.put(CONFIG_MAPS, settings({ 'apply.kinds': 'ConfigMap', 'apply.namespaces': 'team-b' }, 'team-a'));
    if (theirs) server.put(CONFIG_MAPS, settings(theirs, 'team-b'));
    const own = server.client('tiny-question');
    const person: Client = { ...own, get: () => Promise.reject(new Error('looked')) };
    return await applyProposal({ namespace: 'team-a', proposal }, { own, person }).catch(String);
  };

  test.each([
    ['has no settings', undefined],
    ['names nobody', {}],
    ['names another', { 'apply.acceptFrom': 'team-c' }],
  ])('that %s takes no proposals, whatever the proposing project says', async (_what, theirs) => {
    expect(await refused(theirs)).toMatchObject({
      reason: 'NotAllowed',
      message: expect.stringContaining('namespace team-b takes no proposals of agents of team-a'),
    });
  });

  test('that names the project does', async () => {
    expect(await refused({ 'apply.acceptFrom': 'team-c\n team-a \n' })).not.toMatchObject({ reason: 'NotAllowed' });
  });
});
