import { describe, expect, test } from 'vitest';
import { findCondition } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { ApiError, ConnectionError } from '../../lib/kube/errors.ts';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES, type Ref, SESSIONS } from '../../lib/kube/types.ts';
import { reconcile } from '../../lib/reconcile.ts';
import { sessions } from '../../lib/session/plan.ts';
import { type Asked, apiError, type Hooks, MemoryServer } from '../support/memory-client.ts';
import { ALICE, at, CAROL, condition, makeSession, NOW } from '../support/objects.ts';

const REF: Ref = { namespace: 'team-a', name: 'fix' };
const MADE = ['Deployment fix', 'NetworkPolicy fix', 'PersistentVolumeClaim fix', 'Secret fix-prompt-', 'Session fix'];
const CREATES = ['create PersistentVolumeClaim', 'create Secret', 'create NetworkPolicy', 'create Deployment'];

class Killed extends Error {}

function given(session: Stored<Session> | undefined = makeSession(), hooks: Hooks = {}) {
  const server = new MemoryServer(hooks);
  if (session) server.put(SESSIONS, session as Session);
  const run = () => reconcile(sessions, REF, { client: server.client('tiny-session'), now: () => NOW });
  const live = () => server.peek(SESSIONS, REF);
  const says = (type: string) => {
    const found = live();
    const { status, reason, message } = (found && findCondition(found, type)) ?? {};
    return { status, reason, message };
  };
  const names = () => server.all().map((name) => name.replace(/(-prompt-).*/, '$1'));
  const replicas = () => (server.peek(DEPLOYMENTS, REF) as { spec?: { replicas: number } } | undefined)?.spec?.replicas;
  return { server, run, live, says, names, replicas };
}

const failing = (when: (asked: Asked, write: number) => boolean, error: unknown): Hooks => ({
  before: (asked, write) => {
    if (when(asked, write)) throw error;
  },
});

describe('a new Session', () => {
  test('costs one read, one create a child and one report', async () => {
    const { server, run, names, says } = given();
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(server.verbs()).toEqual(['get Session', ...CREATES, 'applyStatus Session']);
    expect(names()).toEqual(MADE);
    expect(says('Materialised')).toMatchObject({ status: 'True', reason: 'Materialised' });
    expect(says('Ready')).toMatchObject({ status: 'False', reason: 'Starting' });
    expect(says('Suspended')).toMatchObject({ status: 'False', reason: 'Running' });
  });

  test('is made as its requester, read and reported on as the function', async () => {
    const { server, run } = given();
    await run();
    expect(server.asked.map(({ user }) => user)).toEqual([undefined, 'alice', 'alice', 'alice', 'alice', undefined]);
  });

  test('the same event ten times at once makes one of each', async () => {
    const { run, names, says } = given();
    const outcomes = await Promise.all(Array.from({ length: 10 }, run));
    expect(outcomes.filter(({ kind }) => kind !== 'done' && kind !== 'conflict')).toEqual([]);
    expect(names()).toEqual(MADE);
    expect(await run()).toMatchObject({ kind: 'done', message: 'nothing to do' });
    expect(says('Materialised')).toMatchObject({ status: 'True', reason: 'Materialised' });
  });

  test('ten changed workloads at once are one change', async () => {
    const { server, run, replicas, says } = given();
    await run();
    server.change(SESSIONS, REF, ({ spec }) => Object.assign(spec, { suspend: true }));
    const outcomes = await Promise.all(Array.from({ length: 10 }, run));
    expect(outcomes.filter(({ kind }) => kind !== 'done' && kind !== 'conflict')).toEqual([]);
    await run();
    expect(replicas()).toBe(0);
    expect(says('Materialised')).toMatchObject({ status: 'True', reason: 'Materialised' });
  });
});

describe('a Session that is as it should be', () => {
  test('costs one read', async () => {
    const { server, run } = given();
    await run();
    const before = server.asked.length;
    expect(await run()).toEqual({ kind: 'done', message: 'nothing to do' });
    expect(server.verbs().slice(before)).toEqual(['get Session']);
  });

  test.each(['gone', 'never there'])('and one that is %s, costs one read too', async () => {
    const { server, run } = given();
    server.drop(SESSIONS, REF);
    expect(await run()).toEqual({ kind: 'done', message: 'gone' });
    expect(server.verbs()).toEqual(['get Session']);
  });

  test('and one that is being deleted, is left alone', async () => {
    const metadata = { deletionTimestamp: at(-1), finalizers: ['a/b'] };
    const { server, run } = given(makeSession({ metadata }));
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(server.verbs()).toEqual(['get Session']);
  });
});

describe.each(['before', 'after'] as const)('a function that is killed %s write', (moment) => {
  test.each([1, 2, 3, 4, 5])('%i comes to the same when it runs again', async (k) => {
    const hooks: Hooks = {};
    const { server, run, names, says, replicas } = given(makeSession(), hooks);
    hooks[moment] = (_asked, write) => {
      if (write === k) throw new Killed();
    };
    expect(await run()).toMatchObject({ kind: 'failed' });
    delete hooks[moment];
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(names()).toEqual(MADE);
    expect(says('Materialised')).toMatchObject({ status: 'True', reason: 'Materialised' });
    expect(replicas()).toBe(1);
    const before = server.asked.length;
    await run();
    expect(server.verbs().slice(before)).toEqual(['get Session']);
  });

  test.each([1, 2, 3, 4, 5, 6, 7])('%i of a change comes to the same when it runs again', async (k) => {
    const hooks: Hooks = {};
    const { server, run, replicas, says } = given(makeSession(), hooks);
    await run();
    server.change(SESSIONS, REF, ({ spec }) => Object.assign(spec, { suspend: true }));
    const done = server.asked.filter(({ verb }) => verb !== 'get').length;
    hooks[moment] = (_asked, write) => {
      if (write === done + k) throw new Killed();
    };
    await run();
    delete hooks[moment];
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(replicas()).toBe(0);
    expect(says('Materialised')).toMatchObject({ status: 'True' });
    expect(says('Suspended')).toMatchObject({ status: 'True', reason: 'Requested' });
  });
});

describe('what is in the way', () => {
  const claim = (metadata: object) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...REF, ...metadata },
  });
  const old = { labels: { 'tiny.dev/session-uid': 'old' }, ownerReferences: [] };

  test("a predecessor's claim that terminates is told, the event sent back, and the retry starts clean", async () => {
    const { server, run, names, says } = given();
    server.put(CLAIMS, claim({ ...old, deletionTimestamp: at(-5), finalizers: ['kubernetes.io/pvc-protection'] }));
    const outcome = await run();
    expect(outcome.kind).toBe('conflict');
    expect(outcome.message).toMatch(/^PredecessorTerminating: PersistentVolumeClaim "fix"/);
    expect(says('Materialised')).toMatchObject({ status: 'False', reason: 'PredecessorTerminating' });
    expect(says('Ready')).toMatchObject({ status: 'False', reason: 'PredecessorTerminating' });
    expect(names()).toEqual(['PersistentVolumeClaim fix', 'Session fix']);

    server.drop(CLAIMS, REF);
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(names()).toEqual(MADE);
    expect(says('Materialised')).toMatchObject({ status: 'True' });
    expect(says('Ready')).toMatchObject({ status: 'False', reason: 'Starting' });
  });

  test('while it is in the way, it is told once', async () => {
    const { server, run } = given();
    server.put(CLAIMS, claim({ ...old, deletionTimestamp: at(-5), finalizers: ['a/b'] }));
    await run();
    await run();
    expect(server.verbs().filter((verb) => verb === 'applyStatus Session')).toHaveLength(1);
  });

  test("a stranger's Deployment is refused by its name and left as it is", async () => {
    const { server, run, says } = given();
    const stranger = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...REF }, spec: { replicas: 5 } };
    server.put(DEPLOYMENTS, stranger);
    expect(await run()).toMatchObject({ kind: 'conflict' });
    expect(says('Materialised')).toMatchObject({ status: 'False', reason: 'NameTaken' });
    expect(says('Materialised').message).toContain('Deployment "fix"');
    expect(server.peek(DEPLOYMENTS, REF)).toMatchObject({ spec: { replicas: 5 } });
    expect(server.verbs().filter((verb) => verb.startsWith('apply '))).toEqual([]);
  });

  test("a predecessor's claim that was retained is not adopted", async () => {
    const { server, run, says } = given();
    server.put(CLAIMS, claim(old));
    expect(await run()).toMatchObject({ kind: 'conflict' });
    expect(says('Materialised')).toMatchObject({ reason: 'NameTaken' });
  });
});

describe('an answer of the API server to the person', () => {
  const words = 'deployments.apps is forbidden: User "alice" cannot create resource "deployments" in API group "apps"';

  test.each([
    ['Forbidden', apiError(403, 'Forbidden', words)],
    ['QuotaExceeded', apiError(403, 'Forbidden', 'deployments.apps "fix" is forbidden: exceeded quota: few')],
    ['Invalid', apiError(422, 'Invalid', 'Deployment.apps "fix" is invalid')],
  ])('%s is told in its words and not tried for ever', async (reason, error) => {
    const { run, says } = given(
      makeSession(),
      failing(({ kind, verb }) => kind === 'Deployment' && verb === 'create', error),
    );
    expect(await run()).toMatchObject({ kind: 'refused' });
    const message = expect.stringMatching(new RegExp(`^Deployment "fix": ${error.message}`));
    expect(says('Materialised')).toEqual({ status: 'False', reason, message });
    expect(says('Ready')).toMatchObject({ status: 'False', reason });
  });

  test('of one who got the rights later, is not held against them', async () => {
    const hooks = failing(({ kind }) => kind === 'Deployment', apiError(403, 'Forbidden', words));
    const { run, says, names } = given(makeSession(), hooks);
    await run();
    delete hooks.before;
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(names()).toEqual(MADE);
    expect(says('Ready')).toMatchObject({ status: 'False', reason: 'Starting' });
  });
});

describe('an answer that may pass by itself', () => {
  const throttled = new ApiError(429, { reason: 'TooManyRequests', details: { retryAfterSeconds: 7 } });

  test.each([
    ['throttled', { kind: 'throttled', retryAfterSeconds: 7 }, throttled],
    ['an error of the server', { kind: 'failed' }, apiError(500, 'InternalError', 'etcd is slow')],
    ['no quorum', { kind: 'failed' }, apiError(503, 'ServiceUnavailable', 'no')],
    ['a lost connection', { kind: 'failed' }, new ConnectionError('socket hang up')],
    ['a conflict', { kind: 'conflict' }, apiError(409, 'Conflict', 'modified')],
    ['a namespace that is gone', { kind: 'conflict' }, apiError(404, 'NotFound', 'namespaces "n" not found')],
  ])('%s is sent back and told to nobody', async (_what, expected, error) => {
    for (const k of [0, 1, 2, 3, 4]) {
      const { run, live, server } = given(
        makeSession(),
        failing((_asked, write) => write === k, error),
      );
      expect(await run()).toMatchObject(expected);
      expect(live()?.status).toBeUndefined();
      expect(server.verbs()).not.toContain('applyStatus Session');
    }
  });

  test('one to the function itself is no refusal of the person', async () => {
    const error = apiError(403, 'Forbidden', 'User "system:serviceaccount:tiny-system:session" cannot patch');
    const { run } = given(
      makeSession(),
      failing(({ verb }) => verb === 'applyStatus', error),
    );
    expect(await run()).toMatchObject({ kind: 'failed', message: expect.stringContaining('docs/install.md') });
  });

  test('what nobody expected is named by its type alone', async () => {
    const secret = new TypeError('the prompt is hunter2');
    const { run } = given(
      makeSession(),
      failing(({ verb }) => verb === 'create', secret),
    );
    expect(await run()).toEqual({ kind: 'failed', message: 'unexpected TypeError' });
  });
});

describe('a Session that changes while it is reported on', () => {
  test('is planned anew', async () => {
    const hooks: Hooks = {};
    const { server, run, replicas, says } = given(makeSession(), hooks);
    hooks.before = ({ verb }) => {
      if (verb !== 'applyStatus') return;
      delete hooks.before;
      server.change(SESSIONS, REF, ({ spec }) => Object.assign(spec, { suspend: true }));
    };
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(replicas()).toBe(0);
    expect(says('Suspended')).toMatchObject({ status: 'True', reason: 'Requested' });
  });

  test('always, is sent back after a few times', async () => {
    let n = 0;
    const hooks: Hooks = {};
    const { server, run } = given(makeSession(), hooks);
    hooks.before = ({ verb }) => {
      if (verb !== 'applyStatus') return;
      server.change(SESSIONS, REF, ({ metadata }) => Object.assign(metadata, { labels: { n: String(++n) } }));
    };
    expect(await run()).toMatchObject({ kind: 'conflict', message: expect.stringContaining('Session "fix"') });
    expect(n).toBe(4);
  });

  test('deleted, leaves nothing', async () => {
    const { server, run } = given(makeSession(), {
      before: ({ verb }) => verb === 'applyStatus' && server.drop(SESSIONS, REF),
    });
    expect(await run()).toMatchObject({ kind: 'done' });
    server.collect();
    expect(server.all()).toEqual([]);
  });

  test.each([1, 2, 3, 4])('deleted before create %i, leaves nothing', async (k) => {
    const { server, run } = given(makeSession(), { before: (_, write) => write === k && server.drop(SESSIONS, REF) });
    await run();
    server.collect();
    expect(server.all()).toEqual([]);
  });

  test('deleted and made anew with the same name, keeps nothing of the first', async () => {
    const second = makeSession({ metadata: { uid: 'second' }, spec: { prompt: 'another' } });
    const hooks: Hooks = {};
    const { server, run, names, says, live } = given(makeSession(), hooks);
    hooks.before = ({ verb }) => {
      if (verb !== 'applyStatus') return;
      delete hooks.before;
      server.drop(SESSIONS, REF);
      server.put(SESSIONS, second as Session);
    };
    expect(await run()).toMatchObject({ kind: 'conflict', message: expect.stringMatching(/^NameTaken/) });
    expect(says('Materialised')).toMatchObject({ status: 'False' });
    server.collect();
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(names()).toEqual(MADE);
    expect(live()?.metadata.uid).toBe('second');
    expect(server.peek(CLAIMS, REF)?.metadata.ownerReferences).toMatchObject([{ uid: 'second' }]);
  });
});

describe('a Session whose time is over', () => {
  const over = { finished: condition('Finished', 'True', { lastTransitionTime: at(-3600) }) };
  const finished = () => makeSession({ spec: { ttlAfterFinished: '30m' }, status: { conditions: [over.finished] } });

  test('is deleted by its requester, and only it', async () => {
    const { server, run } = given(finished());
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(server.asked.slice(1)).toEqual([{ verb: 'delete', kind: 'Session', name: 'fix', user: 'alice' }]);
    expect(server.all()).toEqual([]);
  });

  test('whose requester may not delete it, says so instead of failing for ever', async () => {
    const words = 'sessions.tiny.dev "fix" is forbidden: User "alice" cannot delete resource "sessions"';
    const { server, run, says } = given(
      finished(),
      failing(({ verb }) => verb === 'delete', apiError(403, 'Forbidden', words)),
    );
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(says('Materialised')).toEqual({ status: 'False', reason: 'Forbidden', message: `Session "fix": ${words}` });
    const before = server.asked.length;
    await run();
    expect(server.verbs().slice(before)).toEqual(['get Session', 'delete Session']);
  });

  test('and that was made anew meanwhile, is not deleted', async () => {
    const { server, run } = given(finished(), {
      before: ({ verb }) => {
        if (verb !== 'delete') return;
        server.drop(SESSIONS, REF);
        server.put(SESSIONS, makeSession({ metadata: { uid: 'second' } }) as Session);
      },
    });
    expect(await run()).toMatchObject({ kind: 'conflict' });
    expect(server.all()).toEqual(['Session fix']);
  });
});

describe('who it is done as', () => {
  test('nobody is stamped: nothing is done, and it says what to do', async () => {
    const session = makeSession();
    delete session.spec.requester;
    const { server, run, says } = given(session);
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(server.verbs()).toEqual(['get Session', 'applyStatus Session']);
    expect(says('Materialised')).toMatchObject({ status: 'False', reason: 'NoRequester' });
    expect(says('Materialised').message).toContain('tiny touch');
  });

  test.each(['system:admin', 'system:node:a', 'system:serviceaccount:x'])('%s is no person', async (username) => {
    const { server, run, says } = given(makeSession({ spec: { requester: { username } } }));
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(server.verbs()).toEqual(['get Session', 'applyStatus Session']);
    expect(says('Materialised')).toMatchObject({ status: 'False', reason: 'RequesterNotAPerson' });
  });

  test('a name that fits into no header is refused, not failed on', async () => {
    const { run, says } = given(makeSession({ spec: { requester: { username: 'eve\nadmin' } } }));
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(says('Materialised')).toMatchObject({ status: 'False', reason: 'RequesterNotAPerson' });
  });

  test('rights that come from system:masters are explained', async () => {
    const hooks = failing(({ user }) => user === 'root', apiError(403, 'Forbidden', 'no'));
    const { run, says } = given(
      makeSession({ spec: { requester: { username: 'root', groups: ['system:masters'] } } }),
      hooks,
    );
    await run();
    expect(says('Materialised').message).toMatch(
      /^PersistentVolumeClaim "fix": no\. Rights that come from system:masters/,
    );
  });

  test('another person who changes it acts with their own rights from then on', async () => {
    const { server, run } = given();
    await run();
    server.change(SESSIONS, REF, ({ spec }) => Object.assign(spec, { suspend: true, requester: CAROL }));
    const before = server.asked.length;
    await run();
    const users = server.asked.slice(before).flatMap(({ user }) => user ?? []);
    expect(new Set(users)).toEqual(new Set(['carol']));
  });

  test('a caller with rights of their own acts without impersonation', async () => {
    const { server } = given();
    const client = server.client('tiny');
    await reconcile(sessions, REF, { client, now: () => NOW, actAs: () => client });
    expect(server.asked.map(({ user }) => user)).not.toContain(ALICE.username);
    expect(server.all()).toHaveLength(5);
  });
});

test('a network policy that somebody removed is made again at the next change', async () => {
  const { server, run, names } = given();
  await run();
  server.drop(NETWORK_POLICIES, REF);
  server.change(SESSIONS, REF, ({ spec }) => Object.assign(spec, { touched: at(0) }));
  await run();
  expect(names()).toEqual(MADE);
});
