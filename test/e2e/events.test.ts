/** Events as they really come: many at once, none, late, twice, in the wrong order, malformed; and kills between writes. */
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCondition, isTrue } from '../../lib/api/conditions.ts';
import type { Question } from '../../lib/api/question.ts';
import { makeClient } from '../../lib/kube/client.ts';
import { loadKubeconfig } from '../../lib/kube/kubeconfig.ts';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES, PODS, QUESTIONS, SECRETS, SESSIONS } from '../../lib/kube/types.ts';
import { askControl } from '../../local/control.ts';
import { TRIGGERS } from '../../local/eventing/kinds.ts';
import { askerOf } from '../contract/asker.ts';
import { type KillProxy, killProxy } from './function-kill.ts';
import { Local, NAMESPACE, script, sessionNamed, until } from './local.ts';

const KINDS = [
  [CLAIMS, 'persistentvolumeclaims'],
  [SECRETS, 'secrets'],
  [NETWORK_POLICIES, 'networkpolicies.networking.k8s.io'],
  [DEPLOYMENTS, 'deployments.apps'],
] as const;

const spawnQuestion = (name: string, session: string, child: string): Question =>
  ({
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Question',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      session,
      kind: 'Spawn',
      text: 'Shall I?',
      options: [
        { id: 'allow', text: 'Yes', effect: 'Allow' },
        { id: 'deny', text: 'No', effect: 'Deny' },
      ],
      spawn: { name: child, spec: sessionNamed(child, {}).spec },
    },
  }) as Question;

const answer = (local: Local, name: string, option = 'allow') =>
  local
    .client('bob')
    .patch(QUESTIONS, { namespace: NAMESPACE, name }, { type: 'merge', body: { spec: { answer: { option } } } });

/** Each kind of child exactly once, and made exactly once. */
async function madeOnce(local: Local, name: string): Promise<void> {
  for (const [type, resource] of KINDS) {
    expect(await local.names(type, `tiny.dev/session=${name}`), resource).toHaveLength(1);
    expect(local.made(resource, name), `${resource} made`).toBe(1);
  }
}

describe('where all events are lost', () => {
  const local = new Local();
  const proxies: KillProxy[] = [];
  beforeAll(() => local.up('--lose', '1'));
  afterAll(async () => {
    await local.end();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  test('nothing happens, and the Session says nothing that is not so', async () => {
    await local.make('unheard', { suspend: true });
    expect(await local.ok('ls')).toMatch(/^unheard +Pending /m);
    expect(await local.names(DEPLOYMENTS)).toEqual([]);
    expect((await askControl(local.data)).functions).toEqual([]);
  });

  test('the sweep finds what nobody heard of, and what was deleted behind its back, and is quiet where all is well', async () => {
    await local.make('swept', { suspend: true });
    expect(await local.sweep()).toBe(202);
    await local.materialised('swept');
    await madeOnce(local, 'swept');
    await local.client().delete(NETWORK_POLICIES, { namespace: NAMESPACE, name: 'swept' });
    expect(await local.sweep()).toBe(202);
    expect(await local.names(NETWORK_POLICIES, 'tiny.dev/session=swept')).toHaveLength(1);
    const before = local.deeds().length;
    expect(await local.sweep()).toBe(202);
    expect(local.deeds().length).toBe(before);
  });

  test('ten deliveries of one event at once make one of each', async () => {
    await local.make('ten', { suspend: true });
    const url = await local.functionUrl('session');
    const codes = await Promise.all(Array.from({ length: 10 }, () => local.deliver(url, 'Session', 'ten')));
    expect(
      codes.every((code) => [202, 409].includes(code)),
      String(codes),
    ).toBe(true);
    expect(await local.deliver(url, 'Session', 'ten')).toBe(202);
    await madeOnce(local, 'ten');
    const before = local.deeds().length;
    expect(await local.deliver(url, 'Session', 'ten')).toBe(202);
    expect(local.deeds()).toHaveLength(before);
  });

  test('ten deliveries of one answer make one child', async () => {
    await askTen(spawnQuestion('ten-0000000000', 'ten', 'child-ten'));
    await answer(local, 'ten-0000000000');
    const url = await local.functionUrl('question');
    const codes = await Promise.all(Array.from({ length: 10 }, () => local.deliver(url, 'Question', 'ten-0000000000')));
    expect(
      codes.every((code) => [202, 409].includes(code)),
      String(codes),
    ).toBe(true);
    expect(await local.deliver(url, 'Question', 'ten-0000000000')).toBe(202);
    expect(await local.acted('ten-0000000000')).toMatchObject({ status: 'True', reason: 'Spawned' });
    expect(local.made('sessions.tiny.dev', 'child-ten')).toBe(1);
    expect((await local.get(SESSIONS, 'child-ten'))?.spec.requester?.username).toBe('bob');
  });

  test('what is no event is answered 400, and the log holds nothing of it', async () => {
    const url = await local.functionUrl('session');
    const SECRET = 'hunter2-in-the-body';
    const headers = {
      'ce-id': '1',
      'ce-source': 's',
      'ce-specversion': '1.0',
      'ce-type': 'dev.knative.apiserver.ref.update',
      'content-type': 'application/json',
    };
    const data = { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', namespace: NAMESPACE, name: 'ten' };
    const post = async (body: string | Uint8Array<ArrayBuffer>, changed: Record<string, string> = {}) =>
      (await fetch(url, { method: 'POST', headers: { ...headers, ...changed }, body })).status;
    const { 'ce-id': _, ...anonymous } = headers;
    expect(await post(`{"${SECRET}`)).toBe(400);
    expect(await post('')).toBe(400);
    expect(await post('[]')).toBe(400);
    expect(await post('null')).toBe(400);
    expect(await post(new Uint8Array([0xff, 0xfe, 0]))).toBe(400);
    expect(await post(JSON.stringify({ ...data, name: [SECRET] }))).toBe(400);
    expect(await post(JSON.stringify({ ...data, name: `../${SECRET}` }))).toBe(400);
    expect(await post(JSON.stringify({ ...data, kind: 'Secret', name: SECRET }))).toBe(400);
    expect(await post(JSON.stringify({ ...data, namespace: '' }))).toBe(400);
    expect(await post(JSON.stringify(data), { 'ce-type': `com.example.${SECRET}` })).toBe(400);
    expect(await post(JSON.stringify(data), { 'ce-specversion': '9.9' })).toBe(400);
    expect(await post(SECRET, { 'content-type': 'application/x-www-form-urlencoded' })).toBe(400);
    expect(await post(JSON.stringify(data), { 'content-encoding': 'gzip', 'ce-type': 'x' })).toBe(400);
    expect((await fetch(url, { method: 'POST', headers: anonymous, body: JSON.stringify(data) })).status).toBe(400);
    expect((await fetch(url, { headers: { authorization: `Bearer ${SECRET}` } })).status).toBe(400);
    expect(await post(`{"${SECRET}": "${'x'.repeat(3 * 1024 * 1024)}"}`)).toBe(400);
    expect(await tooMuch(url)).toBe(400);
    expect(await post(JSON.stringify(data))).toBe(202);
    const logs = join(local.data, 'node/functions/pods/session/logs');
    const said = readdirSync(logs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('');
    expect(said).toContain('unreadable');
    expect(said).not.toContain(SECRET);
    expect(said).not.toMatch(/eyJ|Bearer|hello/);
  });

  test('a touch makes up for it once events come again', async () => {
    await local.make('late', { suspend: true });
    await local.ok('down');
    await local.up();
    expect((await local.get(SESSIONS, 'late'))?.status?.conditions).toBeUndefined();
    expect(await local.ok('touch', '--take-over', '--yes', 'late')).toContain('touched');
    const { spec } = await local.materialised('late');
    expect(spec.requester?.username).toBe('me');
    await madeOnce(local, 'late');
  });

  test('a function killed before, between and after its writes makes everything once, by a later delivery', async () => {
    const proxy = await proxied('session');
    for (let count = 0; count <= 5; count++) await survivesKill(proxy, `kill-${count}`, count);
  });

  /** Asks as the agent of `ten`, which is asleep: by a pod that a Deployment would have named so. */
  async function askTen(question: Question): Promise<void> {
    const { config } = loadKubeconfig({ files: [local.kubeconfig], now: Date.now });
    const clientOf = (token: string, fieldManager = 'tiny-agent') =>
      makeClient({ ...config, auth: { token }, fieldManager });
    const agent = await askerOf({ admin: local.client(), clientOf }, NAMESPACE, 'ten');
    await agent.create(QUESTIONS, question);
  }

  /** A proxy before a function whose events are tried again at once, so that the test need not wait. */
  async function proxied(name: 'session' | 'question'): Promise<KillProxy> {
    const body = { spec: { delivery: { backoffDelay: 'PT0.05S' } } };
    await local.client().patch(TRIGGERS, { namespace: 'tiny-system', name }, { type: 'merge', body });
    const proxy = await killProxy(local, name);
    proxies.push(proxy);
    return proxy;
  }

  async function survivesKill(proxy: KillProxy, name: string, count: number): Promise<void> {
    proxy.arm(name, count);
    await local.make(name, { suspend: true });
    await until(`kill ${count}`, () => proxy.kills === count + 1);
    await local.materialised(name);
    await madeOnce(local, name);
  }

  test('so does one that acts on an answer', async () => {
    const proxy = await proxied('question');
    for (let count = 0; count <= 2; count++) {
      const child = `born-${count}`;
      const name = `ten-000000001${count}`;
      await askTen(spawnQuestion(name, 'ten', child));
      proxy.arm(`born-${count}`, count);
      await answer(local, name);
      await until(`kill ${count}`, () => proxy.kills === count + 1);
      expect(await local.acted(name)).toMatchObject({ status: 'True', reason: 'Spawned' });
      expect(local.made('sessions.tiny.dev', child)).toBe(1);
    }
  });

  test('a Session that waits sleeps and is woken by the answer, though functions are killed in the middle of it', async () => {
    const [session, question] = proxies;
    const idle = { suspendAfter: '1s', finishAfter: '0s', stalledAfter: '1h' };
    await local.make('naps', { prompt: script({ ask: { text: 'Which?' } }), idle });
    const { metadata } = await local.question('naps');
    const kills = proxies.map((proxy) => proxy.kills);
    session?.arm('naps', 1);
    const asleep = await local.session('naps', 'to sleep', (one) => isTrue(one, 'Suspended'));
    expect(asleep.status).toMatchObject({ waitingFor: [metadata.name] });
    expect(findCondition(asleep, 'Suspended')).toMatchObject({
      reason: 'Idle',
      lastTransitionTime: expect.any(String),
    });
    expect(findCondition(asleep, 'Waiting')).toMatchObject({ status: 'True', reason: 'Question' });
    await until('no pod of it', async () => (await local.names(PODS, 'tiny.dev/session=naps')).length === 0);
    question?.arm('naps', 1);
    await local
      .client('bob')
      .patch(
        QUESTIONS,
        { namespace: NAMESPACE, name: metadata.name },
        { type: 'merge', body: { spec: { answer: { text: 'The left one' } } } },
      );
    const { status } = await local.finished('naps');
    expect(proxies.map((proxy) => proxy.kills)).toEqual(kills.map((count) => count + 1));
    expect(status).toMatchObject({ result: { summary: 'answer: The left one' }, waitingFor: [] });
    const [first, second, ...more] = await local.heard('naps');
    expect([first, more]).toEqual([script({ ask: { text: 'Which?' } }), []]);
    expect(second).toContain('the answer is: The left one');
  });
});

/** Sends more than any event has, without an end; the status that comes while it is sent. */
function tooMuch(url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunk = 'x'.repeat(256 * 1024);
  return new Promise((resolve) => {
    const more = () => void (socket.writable && socket.write(chunk, () => setImmediate(more)));
    socket.on('error', () => {});
    socket.on('data', (data) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1.1 (\d+)/.exec(data.toString())?.[1]));
    });
    socket.write(
      'POST / HTTP/1.1\r\nhost: f\r\nce-id: 1\r\nce-source: s\r\nce-specversion: 1.0\r\nce-type: t\r\ncontent-length: 1000000000\r\n\r\n',
    );
    more();
  });
}

describe('where half of the events come late, twice, or after the next', () => {
  const local = new Local();
  beforeAll(() => local.up('--double', '0.5', '--delay', '0.5', '--reorder', '0.5'));
  afterAll(() => local.end());

  test('everything comes to the same', async () => {
    const names = Array.from({ length: 6 }, (_, n) => `late-${n}`);
    await Promise.all(names.map((name) => local.make(name, { suspend: true })));
    await local.make('asks', { prompt: script({ spawn: { name: 'spawned', prompt: 'hello' } }) });
    const { metadata } = await local.question('asks');
    await answer(local, metadata.name);
    expect(await local.acted(metadata.name)).toMatchObject({ reason: 'Spawned' });
    await Promise.all([local.finished('asks'), local.finished('spawned'), ...names.map(local.materialised)]);
    await local.client().patch(
      SESSIONS,
      { namespace: NAMESPACE, name: 'late-0' },
      {
        type: 'merge',
        body: { spec: { suspend: false } },
      },
    );
    await local.finished('late-0');
    for (const name of [...names, 'asks', 'spawned']) await madeOnce(local, name);
    await local.noPods();
    expect(local.made('sessions.tiny.dev', 'spawned')).toBe(1);
    expect(await local.heard('asks')).toHaveLength(1);
    const sessions = await local.client().list(SESSIONS, { namespace: NAMESPACE });
    for (const one of sessions.items) expect(isTrue(one, 'Suspended'), one.metadata.name).toBe(true);
    await local.functionsAtZero();
  });
});
