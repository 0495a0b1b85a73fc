/** The command against the stand-in's API server: real connection, real schemas, real rights. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { connect } from '../../cli/connect.ts';
import { parseEnvironment } from '../../cli/env.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Client, ResourceType } from '../../lib/kube/types.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import { type ApiServer, startApiServer } from '../../local/api/server.ts';
import { makeHarness, question } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiny-e2e-'));
const env = parseEnvironment({ HOME: folder });
const people = ['admin', 'alice', 'bob', 'carol'];
let server: ApiServer;
let admin: Client;

const cluster = (group: string, kind: string, plural: string): ResourceType => ({
  group,
  kind,
  plural,
  version: 'v1',
  namespaced: false,
});

/** Applies a file of the repository as it is given to a cluster. */
async function apply(file: string, type: ResourceType): Promise<void> {
  for (const one of parseAllDocuments(readFileSync(file, 'utf8'))) await admin.apply(type, one.toJS());
}

async function bind(user: string, role: string): Promise<void> {
  await admin.create({ ...cluster('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings'), namespaced: true }, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: `${user}-${role}`, namespace: 'demo' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  } as never);
}

beforeAll(async () => {
  const groups = (name: string) => ['system:authenticated', ...(name === 'admin' ? ['system:masters'] : [])];
  server = await startApiServer({
    dataDir: join(folder, 'data'),
    now: () => new Date(),
    people: new Map(people.map((name) => [`${name}-token`, { username: name, groups: groups(name) }])),
    log: () => {},
  });
  const ca = Buffer.from(server.caPem).toString('base64');
  const config = {
    clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority-data': ca } }],
    users: people.map((name) => ({ name, user: { token: `${name}-token` } })),
    contexts: people.map((name) => ({ name, context: { cluster: 'c', user: name, namespace: 'demo' } })),
    'current-context': 'alice',
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
  admin = (await connect({ kubeconfig: join(folder, 'kubeconfig'), context: 'admin' }, env)).client;
  await admin.create(cluster('', 'Namespace', 'namespaces'), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'demo' },
  });
  const crds = cluster('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions');
  for (const name of ['sessions', 'questions']) await apply(`crds/${name}.yaml`, crds);
  await apply('rbac/base/people.yaml', cluster('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles'));
  for (const user of ['alice', 'bob']) await bind(user, 'tiny-user');
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const as = (context: string, ...argv: string[]) =>
  makeHarness(() => new Date()).tiny(['--kubeconfig', join(folder, 'kubeconfig'), '--context', context, ...argv], {
    deps: { connect: (where) => connect(where, env), readFile: (path) => readFile(path) },
  });

/** What a person may ask, too: a Permit or a Spawn is an agent's alone. */
function ask(name: string): Question {
  const { toolCall: _, options = [], ...spec } = question(name).spec;
  return {
    ...question(name),
    spec: { ...spec, kind: 'Ask', options: options.map(({ id, text }) => ({ id, text })) },
  };
}

describe('against an API server', () => {
  it('a Session is made, listed, shown, spoken to, suspended, resumed and removed, each in the name of who did it', async () => {
    expect(await as('alice', 'new', 'Say hello', '--name', 'hello', '--agent', 'rehearsal')).toEqual({
      code: 0,
      out: 'session.tiny.dev/hello created\n',
      err: '',
    });
    expect((await as('alice', 'ls')).out).toMatch(/^hello +Pending +rehearsal +alice /m);
    expect((await as('bob', 'suspend', 'hello')).err).toContain('acts for alice, not for you');
    expect((await as('bob', 'suspend', 'hello', '--take-over', '--yes')).code).toBe(0);
    expect((await as('bob', 'send', 'hello', 'and goodbye', '--id', 'm-1')).code).toBe(0);
    expect((await as('bob', 'send', 'hello', 'at last', '--id', 'm-2')).code).toBe(0);
    const { spec } = parse((await as('alice', 'show', 'hello', '-o', 'yaml')).out);
    expect(spec).toMatchObject({
      suspend: true,
      requester: { username: 'bob' },
      messages: [{ id: 'm-1' }, { id: 'm-2' }],
    });
    expect((await as('alice', 'resume', 'hello', '--take-over', '--yes')).code).toBe(0);
    expect((await as('alice', 'touch', 'hello')).code).toBe(0);
    expect((await as('alice', 'show', 'hello')).out).toMatch(/^Requester: +alice$/m);
    expect((await as('alice', 'rm', 'hello', '--wait')).out).toBe('session.tiny.dev/hello deleted\n');
    expect((await as('alice', 'ls')).err).toBe('No sessions found in demo namespace.\n');
  });

  it('a server dry run is judged by the server, and makes nothing', async () => {
    const { out, code } = await as('alice', 'new', 'x', '--name', 'dry', '--dry-run=server', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out).spec.requester.username).toBe('alice');
    expect((await as('carol', 'new', 'x', '--dry-run=server')).err).toContain(
      'you are carol and may not create sessions.tiny.dev',
    );
    expect((await as('alice', 'ls', '-o', 'name')).out).toBe('');
  });

  it('of two answers in the same moment one wins, and the other is told who', async () => {
    await admin.create(QUESTIONS, ask('race'));
    const both = await Promise.all([as('alice', 'answer', 'race', 'allow'), as('bob', 'answer', 'race', 'deny')]);
    const { spec } = JSON.parse((await as('alice', 'show', 'question/race', '-o', 'json')).out);
    const winner = spec.answer.by.username;
    const codes = { alice: both[0].code, bob: both[1].code };
    expect(codes).toEqual(winner === 'alice' ? { alice: 0, bob: 1 } : { alice: 1, bob: 0 });
    expect(both[winner === 'alice' ? 1 : 0].err).toContain(`was answered by ${winner}`);
    expect(spec.answer.option).toBe(winner === 'alice' ? 'allow' : 'deny');
  });

  it('who may not answer is told which right is missing', async () => {
    await admin.create(QUESTIONS, ask('closed'));
    expect((await as('carol', 'y', 'closed')).err).toContain('you are carol and may not get questions.tiny.dev');
  });

  it('the audit log tells who did all that', async () => {
    const { out } = await as('alice', 'audit', '--file', join(folder, 'data', 'audit.log'), '-o', 'json');
    const deeds = JSON.parse(out).map(({ verb, resource, name, user }: Record<string, string>) =>
      [verb, resource, name, user].join(' '),
    );
    expect(deeds).toContain('create sessions.tiny.dev hello alice');
    expect(deeds).toContain('patch sessions.tiny.dev hello bob');
    expect(deeds).toContain('delete sessions.tiny.dev hello alice');
  });
});
