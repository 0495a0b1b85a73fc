import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import type { Ref, ResourceType } from '../../../lib/kube/types.ts';
import type { Part } from '../../../local/controllers/loop.ts';
import { type EventingOptions, startEventing } from '../../../local/eventing/eventing.ts';
import { API_SERVER_SOURCES, BROKERS, PING_SOURCES, TRIGGERS } from '../../../local/eventing/kinds.ts';
import { listen } from '../../../local/functions/port.ts';
import { CONFIG_MAPS } from '../../../local/node/pod.ts';
import { object, until } from '../support/objects.ts';
import { type StandIn, startStandIn } from '../support/stand-in.ts';

interface Captured {
  note: string;
  headers: IncomingHttpHeaders;
  body: string;
}
const CAPTURED: Captured[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/knative-events.json'), 'utf8'),
);
const captured = (note: string): Captured => CAPTURED.find((one) => one.note.startsWith(note)) ?? expect.fail(note);

/** What was sent where, and what is answered there. */
interface Got {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

let standIn: StandIn;
let parts: Part[];
let server: Server;
let base: string;
let got: Got[];
let answer: (got: Got) => { code: number; body?: string };

const clusterScoped = (kind: string): ResourceType => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: false,
});

beforeAll(async () => {
  standIn = await startStandIn();
  server = createServer(async (req, res) => {
    const one = { path: req.url ?? '', headers: req.headers, body: Buffer.concat(await req.toArray()).toString() };
    got.push(one);
    const { code, body } = answer(one);
    res.writeHead(code).end(body);
  });
  base = `http://127.0.0.1:${await listen(server)}`;
  const [apiGroup, name] = ['rbac.authorization.k8s.io', 'reader'];
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  const subjects = [{ kind: 'ServiceAccount', name: 'source', namespace: 'tiny-system' }];
  const binding = { roleRef: { apiGroup, kind: 'ClusterRole', name }, subjects };
  await standIn.client.create(clusterScoped('ClusterRole'), object(`${apiGroup}/v1/ClusterRole`, { name }, { rules }));
  await standIn.client.create(
    clusterScoped('ClusterRoleBinding'),
    object(`${apiGroup}/v1/ClusterRoleBinding`, { name }, binding),
  );
});
beforeEach(() => {
  parts = [];
  got = [];
  answer = () => ({ code: 202 });
});
afterEach(async () => {
  await Promise.all(parts.map((part) => part.stop()));
  for (const type of [API_SERVER_SOURCES, PING_SOURCES, TRIGGERS, BROKERS, CONFIG_MAPS] as ResourceType[])
    for (const { metadata } of (await standIn.client.list(type)).items) await standIn.client.delete(type, metadata);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await standIn.close();
});

/** Services are reached below the test's own server; `gone` is not there. */
const address = ({ name }: Ref) => (name === 'gone' ? 'http://127.0.0.1:1' : `${base}/${name}`);
const start = async (more: Partial<EventingOptions> = {}) => {
  parts.push(await startEventing({ ...standIn.world, apiServer: 'https://10.96.0.1:443', address, ...more }));
};
const make = (
  type: ResourceType,
  name: string,
  { annotations = {}, ...rest }: { spec: object; annotations?: Record<string, string> },
) => {
  const at = `${type.group}/${type.version}/${type.kind}`;
  return standIn.client.create(type, object(at, { name, namespace: 'tiny-system', annotations }, rest));
};
const isReady = (type: ResourceType, name: string, status = 'True') =>
  until(`${type.kind} ${name} to be ready: ${status}`, async () => {
    const found = await standIn.client.get(
      type as ResourceType<KubeObject & { status?: { conditions?: { status: string; message?: string }[] } }>,
      { namespace: 'tiny-system', name },
    );
    return found?.status?.conditions?.find((condition) => condition.status === status);
  });
const RESOURCES = [{ apiVersion: 'v1', kind: 'ConfigMap' }];
const trigger = (name: string, spec: object = {}) =>
  make(TRIGGERS, name, {
    spec: {
      broker: 'default',
      subscriber: { ref: { kind: 'Service', name } },
      delivery: { retry: 3, backoffPolicy: 'exponential', backoffDelay: 'PT0.01S' },
      ...spec,
    },
  });
const sink = { ref: { apiVersion: 'eventing.knative.dev/v1', kind: 'Broker', name: 'default' } };
const source = async (spec: object = {}) => {
  const given = { serviceAccountName: 'source', namespaceSelector: {}, resources: RESOURCES, sink, ...spec };
  await make(API_SERVER_SOURCES, 'source', { spec: given });
  await isReady(API_SERVER_SOURCES, 'source');
};
const ready = async (annotations = {}) => {
  await make(BROKERS, 'default', { annotations, spec: {} });
  await isReady(BROKERS, 'default');
};
const configMap = (name: string) =>
  standIn.client.apply(CONFIG_MAPS, object('v1/ConfigMap', { name, namespace: 'team-a' }));

/** Fields that differ by nature, made the same; `host` and `connection` belong to the connection. */
const plain = ({ headers }: { headers: IncomingHttpHeaders }) => {
  const { host, connection, ...rest } = headers;
  const same = ['ce-id', 'ce-time', 'ce-knativearrivaltime', 'content-length'];
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, same.includes(name) ? 'any' : value]));
};
const asCaptured = (one: Captured) => {
  const renamed = JSON.stringify(plain(one))
    .replaceAll('tiny.dev/v1alpha1', 'v1')
    .replaceAll('Session', 'ConfigMap')
    .replaceAll('sessions', 'configmaps');
  return JSON.parse(renamed);
};

describe('what ApiServerSource sends', () => {
  test('is what Knative sends, field by field, for add, update and delete', async () => {
    await start();
    await ready();
    await trigger('all');
    await isReady(TRIGGERS, 'all');
    await source();
    const made = await configMap('f1');
    await standIn.client.patch(CONFIG_MAPS, made.metadata, { type: 'merge', body: { data: { a: 'b' } } });
    await standIn.client.delete(CONFIG_MAPS, made.metadata);
    await until('three events', () => got.length === 3);
    for (const [index, verb] of ['add', 'update', 'delete'].entries()) {
      expect(plain(got[index] ?? expect.fail())).toEqual(asCaptured(captured(`dev.knative.apiserver.ref.${verb}`)));
      expect(got[index]?.body).toBe('{"kind":"ConfigMap","namespace":"team-a","name":"f1","apiVersion":"v1"}');
    }
    expect(new Set(got.map(({ headers }) => headers['ce-id'])).size).toBe(3);
  });

  test('leaves out what was there before it started', async () => {
    await configMap('early');
    await start();
    await ready();
    await trigger('all');
    await isReady(TRIGGERS, 'all');
    await source();
    await configMap('late');
    await until('an event', () => got.length > 0);
    expect(got.map(({ headers }) => headers['ce-name'])).toEqual(['late']);
  });

  test('needs the rights of its service account', async () => {
    await start();
    const spec = { serviceAccountName: 'nobody', namespaceSelector: {}, resources: RESOURCES, sink };
    await make(API_SERVER_SOURCES, 'source', { spec });
    expect(await isReady(API_SERVER_SOURCES, 'source', 'False')).toMatchObject({
      message: expect.stringContaining('nobody'),
    });
  });
});

describe('a trigger', () => {
  beforeEach(async () => {
    await start();
    await ready();
  });

  test('passes what its filters name', async () => {
    await trigger('sessions', { filters: [{ exact: { kind: 'Session' } }] });
    const added = { all: [{ exact: { kind: 'ConfigMap' } }, { suffix: { type: '.add' } }] };
    await trigger('maps', { filters: [added, { not: { exact: { name: 'b' } } }] });
    await isReady(TRIGGERS, 'sessions');
    await isReady(TRIGGERS, 'maps');
    await source();
    for (const name of ['a', 'b', 'c']) await configMap(name);
    await until('two events', () => got.length === 2);
    expect(got.map(({ path, headers }) => `${path} ${headers['ce-name']}`)).toEqual(['/maps a', '/maps c']);
  });

  test.each([
    [503, undefined, 4],
    [404, undefined, 4],
    [400, undefined, 1],
    [200, 'a body that is no CloudEvent', 4],
  ])('answered %i %s is tried %i times, then given up', async (code, body, tries) => {
    answer = () => ({ code, ...(body === undefined ? {} : { body }) });
    await trigger('bad', { delivery: { retry: 3, backoffPolicy: 'linear', backoffDelay: 'PT0.001S' } });
    await isReady(TRIGGERS, 'bad');
    await source();
    const { length } = standIn.lines;
    await configMap('f1');
    await until('giving up', () =>
      standIn.lines.slice(length).some((line) => line.includes('trigger tiny-system/bad: ')),
    );
    expect(got).toHaveLength(tries);
  });

  test('whose subscriber is gone is tried again too', async () => {
    await trigger('gone');
    await isReady(TRIGGERS, 'gone');
    await source();
    await configMap('f1');
    await until('giving up', () => standIn.lines.some((line) => line.includes('trigger tiny-system/gone: no answer')));
  });

  test("gives what it can't deliver to its dead-letter sink, as Knative does", async () => {
    answer = ({ path }) => ({ code: path === '/dead' ? 202 : 500, ...(path !== '/dead' && { body: 'no' }) });
    const deadLetterSink = { ref: { kind: 'Service', name: 'dead' } };
    await trigger('bad', { delivery: { retry: 1, backoffDelay: 'PT0.001S', deadLetterSink } });
    await isReady(TRIGGERS, 'bad');
    await source();
    await configMap('f1');
    await until('a dead letter', () => got.some(({ path }) => path === '/dead'));
    const { headers = {}, body } = got.find(({ path }) => path === '/dead') ?? {};
    const asKnative = captured('dead-lettered dev.knative.apiserver.ref.add');
    expect(Object.keys(plain({ headers })).sort()).toEqual(Object.keys(plain(asKnative)).sort());
    expect(headers).toMatchObject({ 'ce-knativeerrorcode': '500', 'ce-knativeerrordest': `${base}/bad` });
    expect(Buffer.from(String(headers['ce-knativeerrordata']), 'base64').toString()).toBe('no');
    expect(body).toBe('{"kind":"ConfigMap","namespace":"team-a","name":"f1","apiVersion":"v1"}');
  });

  test.each([
    [{ filters: [{ sql: 'true' }] }, 'filter dialect sql'],
    [{ filter: { attributes: {} } }, 'spec.filters'],
    [{ subscriber: { uri: 'http://x' } }, 'not to a uri'],
    [{ delivery: { deadLetterSink: { uri: 'http://x' } } }, 'dead-letter'],
    [{ delivery: { backoffDelay: 'PT1M' } }, 'PT0.2S'],
  ])('of which the stand-in does not do something says so: %j', async (spec, words) => {
    await trigger('odd', spec);
    expect((await isReady(TRIGGERS, 'odd', 'False')).message).toContain(words);
  });
});

test.each([
  ['stops the healthy ones until it is given up', {}, ['/bad', '/good', '/bad', '/bad', '/bad', '/bad', '/good']],
  [
    'stops nobody where the handler is asynchronous',
    { 'messaging.knative.dev/async-handler': 'true' },
    ['/good', '/good'],
  ],
])('one dead trigger %s', async (_, annotations, order) => {
  await start();
  await ready(annotations);
  answer = ({ path }) => ({ code: path === '/bad' ? 500 : 202 });
  const isAsync = Object.keys(annotations).length > 0;
  const delivery = { retry: isAsync ? 10 : 3, backoffPolicy: 'linear', backoffDelay: isAsync ? 'PT30S' : 'PT0.02S' };
  await trigger('bad', { delivery });
  await trigger('good');
  await isReady(TRIGGERS, 'bad');
  await isReady(TRIGGERS, 'good');
  await source();
  await configMap('a');
  await configMap('b');
  await until('both events', () => got.filter(({ path }) => path === '/good').length === 2);
  const paths = got.map(({ path }) => path);
  if (isAsync) expect(paths.filter((path) => path === '/good')).toEqual(order);
  else expect(paths.indexOf('/good')).toBeLessThan(2);
  if (!isAsync) expect(paths.lastIndexOf('/good')).toBeGreaterThanOrEqual(5);
});

test('a schedule that the stand-in does not read is refused with one that it does', async () => {
  await start();
  await make(PING_SOURCES, 'odd', { spec: { schedule: '0 3 * * 1', sink } });
  expect(await isReady(PING_SOURCES, 'odd', 'False')).toMatchObject({
    message: expect.stringContaining('*/5 * * * *'),
  });
});

test('a PingSource can send straight to a Service', async () => {
  const now = new Date('2026-11-30T11:59:59.950Z');
  await start({ now: () => now, faults: { lose: 1 } });
  const ref = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'direct' };
  await make(PING_SOURCES, 'sweep', { spec: { schedule: '*/5 * * * *', sink: { ref } } });
  await until('the ping', () => got.length > 0);
  expect(got[0]).toMatchObject({ path: '/direct', headers: { 'ce-type': 'dev.knative.sources.ping' } });
});

test('a PingSource sends its data at the full minute', async () => {
  await start({ now: () => new Date('2026-01-01T00:04:59.950Z') });
  await ready();
  await trigger('ping');
  await isReady(TRIGGERS, 'ping');
  await make(PING_SOURCES, 'sweep', { spec: { schedule: '*/5 * * * *', data: '{"a":1}', sink } });
  await until('the event', () => got.length > 0);
  expect(got[0]).toMatchObject({
    body: '{"a":1}',
    headers: {
      'ce-type': 'dev.knative.sources.ping',
      'ce-source': '/apis/v1/namespaces/tiny-system/pingsources/sweep',
    },
  });
});
