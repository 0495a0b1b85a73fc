import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../lib/api/session.ts';
import { makeClient } from '../../../lib/kube/client.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import { CLAIMS, SESSIONS as TYPE } from '../../../lib/kube/types.ts';
import { type Body, CORE, SESSIONS, type Server, session, startServer } from './support.ts';

let server: Server;
const ask: Server['ask'] = (...args) => server.ask(...args);
const audit = () =>
  readFileSync(join(server.dataDir, 'audit.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line): Body => JSON.parse(line));

beforeAll(async () => {
  server = await startServer({
    logs: async function* ({ container }, { tailLines }) {
      if (container === 'waiting') throw new ApiError(400, { reason: 'BadRequest', message: 'waiting to start: Why' });
      yield `${container} ${tailLines}\n`;
      yield Buffer.from('end\n');
    },
  });
});
afterAll(() => server.close());

describe('who may', () => {
  it('lets nobody in without a token, but tells its health', async () => {
    expect((await server.as('')('GET', SESSIONS)).body).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect((await server.as('wrong')('GET', '/readyz')).code).toBe(401);
    expect((await server.as('')('GET', '/readyz')).body).toBe('ok');
  });

  it('lets everybody discover, and only who was given the right read', async () => {
    const alice = server.as('alice');
    expect((await alice('GET', '/apis')).code).toBe(200);
    expect((await alice('GET', SESSIONS)).body.message).toBe(
      'sessions.tiny.dev is forbidden: User "alice" cannot list resource "sessions" in API group "tiny.dev" in the namespace "work"',
    );
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }];
    await ask('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/work/rolebindings', {
      metadata: { name: 'a' },
      roleRef,
      subjects,
    });
    expect((await alice('GET', `${CORE}/secrets`)).code).toBe(200);
    expect((await alice('GET', '/api/v1/secrets')).code).toBe(403);
  });

  it('needs create besides patch for an apply that makes the object', async () => {
    const rule = (verbs: string[]) => ({ apiGroups: ['tiny.dev'], resources: ['sessions'], verbs });
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/work/roles';
    await ask('POST', roles, { metadata: { name: 'patcher' }, rules: [rule(['patch'])] });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'patcher' };
    const subjects = [{ kind: 'User', name: 'alice' }];
    await ask('POST', `${roles.replace(/roles$/, 'rolebindings')}`, {
      metadata: { name: 'patcher' },
      roleRef,
      subjects,
    });
    const made = await server.as('alice')('APPLY', `${SESSIONS}/by-alice?fieldManager=a`, session('by-alice'));
    expect(made.body).toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot create resource "sessions"'),
    });
  });
});

it('has each write in the audit log before it is answered, and never what a Secret holds', async () => {
  await ask('POST', `${CORE}/secrets`, { metadata: { name: 'hidden' }, stringData: { word: 'swordfish' } });
  expect(audit().at(-1)).toMatchObject({
    verb: 'create',
    user: { username: 'admin' },
    objectRef: { resource: 'secrets', name: 'hidden', namespace: 'work' },
    responseStatus: { code: 201 },
  });
  expect(JSON.stringify(audit())).not.toMatch(/swordfish|c3dvcmRmaXNo/);
  await server.as('alice')('DELETE', `${SESSIONS}/none`);
  expect(audit().at(-1)).toMatchObject({ verb: 'delete', user: { username: 'alice' }, responseStatus: { code: 403 } });
});

it("serves the project's own client: apply, status, watch, list, delete with a uid", async () => {
  const client = makeClient({ server: server.url, ca: server.ca, auth: { token: 'admin' }, fieldManager: 'test' });
  const abort = new AbortController();
  const seen: string[] = [];
  const watched = (async () => {
    for await (const { type, object } of client.watch(TYPE, { namespace: 'work', signal: abort.signal })) {
      seen.push(`${type} ${object.metadata.name} ${object.status?.message ?? ''}`);
      if (type === 'DELETED') return;
    }
  })();
  const made = await client.apply(TYPE, session('mine', {}, { namespace: 'work' }) as unknown as Session);
  const metadata = { name: 'mine', namespace: 'work', uid: made.metadata.uid };
  await client.applyStatus(TYPE, {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata,
    status: { message: 'hi' },
  });
  expect((await client.list(TYPE, { namespace: 'work', pageSize: 1 })).items).toHaveLength(1);
  await expect(client.delete(TYPE, metadata, { uid: 'another' })).rejects.toMatchObject({ code: 409 });
  await client.delete(TYPE, metadata, { uid: made.metadata.uid });
  await watched;
  abort.abort();
  expect(seen.at(-2)).toBe('MODIFIED mine hi');
  expect(await client.get(CLAIMS, { namespace: 'work', name: 'none' })).toBeUndefined();
});

it('issues tokens of service accounts, and knows them', async () => {
  await ask('POST', `${CORE}/serviceaccounts`, { metadata: { name: 'robot' } });
  const { body } = await ask('POST', `${CORE}/serviceaccounts/robot/token`, { spec: { expirationSeconds: 600 } });
  const { body: review } = await server.as(body.status.token)(
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    {},
  );
  expect(review.status.userInfo.username).toBe('system:serviceaccount:work:robot');
  expect((await ask('GET', `${CORE}/serviceaccounts/robot/token`)).code).toBe(405);
});

it('streams the log of the container that is asked for', async () => {
  const containers = [
    { name: 'a', image: 'x' },
    { name: 'b', image: 'x' },
    { name: 'waiting', image: 'x' },
  ];
  await ask('POST', `${CORE}/pods`, { metadata: { name: 'p' }, spec: { containers } });
  expect((await ask('GET', `${CORE}/pods/p/log?container=b&tailLines=5`)).body).toBe('b 5\nend\n');
  expect((await ask('GET', `${CORE}/pods/p/log`)).body.message).toContain('choose one of: [a b waiting]');
  expect(await ask('GET', `${CORE}/pods/p/log?container=waiting&follow=true`)).toMatchObject({
    code: 400,
    body: { kind: 'Status', message: 'waiting to start: Why' },
  });
});

describe('discovery', () => {
  it('names what it serves, with what a definition adds', async () => {
    const { body: groups } = await ask('GET', '/apis');
    expect(groups.groups.map(({ name }: Body) => name)).toEqual(
      expect.arrayContaining(['apps', 'tiny.dev', 'serving.knative.dev']),
    );
    const { body } = await ask('GET', '/apis/tiny.dev/v1alpha1');
    const sessions = body.resources.find(({ name }: Body) => name === 'sessions');
    expect(sessions).toMatchObject({ kind: 'Session', namespaced: true, categories: ['tiny'] });
    expect(body.resources.map(({ name }: Body) => name)).toContain('sessions/status');
    expect((await ask('GET', '/version')).body.gitVersion).toBe('v1.37.0+tiny.standin');
  });

  it('has the schema of a definition as OpenAPI, for kubectl explain', async () => {
    const { body: index } = await ask('GET', '/openapi/v3');
    const { body } = await ask('GET', index.paths['apis/tiny.dev/v1alpha1'].serverRelativeURL);
    const { Session: schema } = Object.fromEntries(
      Object.values<Body>(body.components.schemas).map((each) => [
        each['x-kubernetes-group-version-kind'][0].kind,
        each,
      ]),
    );
    expect(schema.properties.spec.properties.prompt.description).toBe('What the agent is to do.');
  });
});

describe('protobuf, which kubectl sends', () => {
  const bytes = (number: number, value: Buffer | string) => {
    const data = Buffer.from(value as string);
    return Buffer.concat([Buffer.from([(number << 3) | 2, data.length]), data]);
  };
  const unknown = (apiVersion: string, kind: string, raw: Buffer) =>
    Buffer.concat([
      Buffer.from('k8s\0'),
      bytes(1, Buffer.concat([bytes(1, apiVersion), bytes(2, kind)])),
      bytes(2, raw),
    ]);

  it('reads a review', async () => {
    const asked = Buffer.concat([bytes(1, 'work'), bytes(2, 'get'), bytes(5, 'pods')]);
    const body = unknown('authorization.k8s.io/v1', 'SelfSubjectAccessReview', bytes(2, bytes(1, asked)));
    const reply = await ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body);
    expect(reply.body).toMatchObject({
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      status: { allowed: true },
    });
  });

  it.each([
    ['a kind that it does not know', unknown('v1', 'Pod', Buffer.from('x')), 415, 'kubectl apply'],
    ['a field that it does not know', unknown('v1', 'SelfSubjectReview', bytes(15, 'x')), 400, 'field 15'],
    ['what is torn', Buffer.from('k8s\0\x0a\xff\xff', 'latin1'), 400, ''],
    ['what is none', Buffer.from('hello'), 400, 'no protobuf'],
    ['what is empty', Buffer.from('k8s\0'), 400, 'no object'],
  ])('refuses %s', async (...[, body, code, message]) => {
    const reply = await ask('POST', `${CORE}/configmaps`, body);
    expect(reply.code).toBe(code);
    expect(reply.body.message).toContain(message);
  });
});
