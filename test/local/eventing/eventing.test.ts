import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import type { ResourceType } from '../../../lib/kube/types.ts';
import type { Part } from '../../../local/controllers/loop.ts';
import { type EventingOptions, startEventing } from '../../../local/eventing/eventing.ts';
import { API_SERVER_SOURCES, BROKERS, PING_SOURCES, TRIGGERS } from '../../../local/eventing/kinds.ts';
import { listen } from '../../../local/functions/port.ts';
import { CONFIG_MAPS } from '../../../local/node/pod.ts';
import { object, type StandIn, startStandIn, until } from '../support/stand-in.ts';

interface Captured {
  note: string;
  headers: IncomingHttpHeaders;
  body: string;
}
const CAPTURED: Captured[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures', 'knative-events.json'), 'utf8'),
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

beforeEach(async () => {
  standIn = await startStandIn();
  parts = [];
  got = [];
  answer = () => ({ code: 202 });
  server = createServer(async (req, res) => {
    const one = { path: req.url ?? '', headers: req.headers, body: Buffer.concat(await req.toArray()).toString() };
    got.push(one);
    const { code, body } = answer(one);
    res.writeHead(code).end(body);
  });
  base = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(async () => {
  await Promise.all(parts.map((part) => part.stop()));
  server.closeAllConnections();
  server.close();
  await standIn.close();
});

const start = (more: Partial<EventingOptions> = {}) => {
  const part = startEventing({
    ...standIn.world,
    apiServer: 'https://10.96.0.1:443',
    address: () => undefined,
    ...more,
  });
  parts.push(part);
  return part;
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
const RESOURCES = [{ apiVersion: 'v1', kind: 'ConfigMap', selector: { matchLabels: { watch: 'yes' } } }];
const trigger = (name: string, spec: object = {}) =>
  make(TRIGGERS, name, {
    spec: {
      broker: 'default',
      subscriber: { uri: `${base}/${name}` },
      delivery: { retry: 3, backoffPolicy: 'exponential', backoffDelay: 'PT0.01S' },
      ...spec,
    },
  });
const source = async (spec: object = {}) => {
  await standIn.client.create(
    {
      ...BROKERS,
      group: 'rbac.authorization.k8s.io',
      kind: 'ClusterRoleBinding',
      plural: 'clusterrolebindings',
      namespaced: false,
    } as ResourceType,
    object(
      'rbac.authorization.k8s.io/v1/ClusterRoleBinding',
      { name: 'source' },
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'source', namespace: 'tiny-system' }],
      },
    ),
  );
  await standIn.client.create(
    {
      ...BROKERS,
      group: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      plural: 'clusterroles',
      namespaced: false,
    } as ResourceType,
    object(
      'rbac.authorization.k8s.io/v1/ClusterRole',
      { name: 'reader' },
      { rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }] },
    ),
  );
  await make(API_SERVER_SOURCES, 'source', {
    spec: {
      serviceAccountName: 'source',
      namespaceSelector: {},
      resources: RESOURCES,
      sink: { ref: { apiVersion: 'eventing.knative.dev/v1', kind: 'Broker', name: 'default' } },
      ...spec,
    },
  });
  await isReady(API_SERVER_SOURCES, 'source');
};
const ready = async (annotations = {}) => {
  await make(BROKERS, 'default', { annotations, spec: {} });
  await isReady(BROKERS, 'default');
};
const configMap = (name: string) =>
  standIn.client.apply(CONFIG_MAPS, object('v1/ConfigMap', { name, namespace: 'team-a', labels: { watch: 'yes' } }));

/** Fields that differ by nature, made the same; `host` and `connection` belong to the connection. */
const plain = ({ headers }: { headers: IncomingHttpHeaders }) => {
  const { host, connection, ...rest } = headers;
  const same = [
    'ce-id',
    'ce-time',
    'ce-knativearrivaltime',
    'ce-knativeerrordata',
    'ce-knativeerrordest',
    'content-length',
  ];
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
    start();
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

  test('in Resource mode is the object', async () => {
    start();
    await ready();
    await trigger('all');
    await isReady(TRIGGERS, 'all');
    await source({ mode: 'Resource' });
    await configMap('z1');
    await until('the event', () => got.length === 1);
    const one = captured('dev.knative.apiserver.resource.add');
    const {
      forwarded,
      'x-request-id': id,
      'x-forwarded-for': by,
      'x-forwarded-proto': proto,
      'k-proxy-request': proxy,
      ...rest
    } = plain(one);
    const [sent] = got;
    expect(plain(sent ?? expect.fail())).toEqual({
      ...rest,
      'ce-namespace': 'team-a',
      'kn-namespace': 'tiny-system',
      'ce-subject': '/apis/v1/namespaces/team-a/configmaps/z1',
    });
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ kind: 'ConfigMap', metadata: { labels: { watch: 'yes' } } });
  });

  test('leaves out what was there before it started', async () => {
    await configMap('early');
    start();
    await ready();
    await trigger('all');
    await isReady(TRIGGERS, 'all');
    await source();
    await configMap('late');
    await until('an event', () => got.length > 0);
    expect(got.map(({ headers }) => headers['ce-name'])).toEqual(['late']);
  });

  test('needs the rights of its service account', async () => {
    start();
    await make(API_SERVER_SOURCES, 'source', {
      spec: { serviceAccountName: 'nobody', resources: RESOURCES, sink: { uri: base } },
    });
    expect(await isReady(API_SERVER_SOURCES, 'source', 'False')).toMatchObject({
      message: expect.stringContaining('nobody'),
    });
  });
});

describe('a trigger', () => {
  beforeEach(async () => {
    start();
    await ready();
  });

  test('passes what its filter names', async () => {
    await trigger('sessions', { filter: { attributes: { kind: 'Session' } } });
    await trigger('maps', {
      filter: { attributes: { kind: 'ConfigMap', type: 'dev.knative.apiserver.ref.add', subject: '' } },
    });
    await isReady(TRIGGERS, 'sessions');
    await isReady(TRIGGERS, 'maps');
    await source();
    await configMap('a');
    await configMap('b');
    await until('two events', () => got.length === 2);
    expect(got.map(({ path }) => path)).toEqual(['/maps', '/maps']);
  });

  test.each([
    [503, undefined, 4],
    [404, undefined, 4],
    [409, undefined, 4],
    [429, undefined, 4],
    [400, undefined, 1],
    [403, undefined, 1],
    [200, 'a body that is no CloudEvent', 4],
  ])('answered %i %s is tried %i times, then dead-lettered', async (code, body, tries) => {
    answer = ({ path }) => (path === '/dead' ? { code: 202 } : { code, ...(body === undefined ? {} : { body }) });
    const delivery = {
      retry: 3,
      backoffPolicy: 'linear',
      backoffDelay: 'PT0.001S',
      deadLetterSink: { uri: `${base}/dead` },
    };
    await trigger('bad', { delivery });
    await isReady(TRIGGERS, 'bad');
    await source();
    await configMap('f1');
    const dead = await until('the dead letter', () => got.find(({ path }) => path === '/dead'));
    expect(got.filter(({ path }) => path === '/bad')).toHaveLength(tries);
    expect(dead.headers).toMatchObject({
      'ce-knativeerrorcode': String(body ? 502 : code),
      'ce-knativeerrordest': `${base}/bad`,
    });
  });

  test('whose subscriber is gone dead-letters as Knative does, field by field', async () => {
    const delivery = { retry: 0, deadLetterSink: { uri: `${base}/dead` } };
    await trigger('gone', { subscriber: { uri: 'http://127.0.0.1:1' }, delivery });
    await isReady(TRIGGERS, 'gone');
    await source();
    await configMap('f1');
    await until('the dead letter', () => got.length === 1);
    expect(plain(got[0] ?? expect.fail())).toEqual(asCaptured(captured('dead-lettered dev.knative.apiserver.ref.add')));
    expect(Buffer.from(String(got[0]?.headers['ce-knativeerrordata']), 'base64').toString()).toContain(
      'dispatch error: Post "http://127.0.0.1:1"',
    );
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
  start();
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
  start();
  await make(PING_SOURCES, 'odd', { spec: { schedule: '0 3 * * 1', sink: { uri: base } } });
  expect(await isReady(PING_SOURCES, 'odd', 'False')).toMatchObject({
    message: expect.stringContaining('*/5 * * * *'),
  });
});

test('a PingSource sends its data at the full minute', async () => {
  start({ now: () => new Date('2026-01-01T00:04:59.950Z') });
  await make(PING_SOURCES, 'sweep', {
    spec: { schedule: '*/5 * * * *', data: '{"a":1}', sink: { uri: `${base}/ping` } },
  });
  await until('the event', () => got.length > 0);
  expect(got[0]).toMatchObject({
    body: '{"a":1}',
    headers: {
      'ce-type': 'dev.knative.sources.ping',
      'ce-source': '/apis/v1/namespaces/tiny-system/pingsources/sweep',
    },
  });
});
