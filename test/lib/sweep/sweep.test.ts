import { describe, expect, test } from 'vitest';
import { findCondition } from '../../../lib/api/conditions.ts';
import type { KubeObject, Stored } from '../../../lib/api/meta.ts';
import type { Question } from '../../../lib/api/question.ts';
import type { Session } from '../../../lib/api/session.ts';
import {
  CLAIMS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  EVENTS,
  NETWORK_POLICIES,
  PODS,
  QUESTIONS,
  SESSIONS,
} from '../../../lib/kube/types.ts';
import { questions } from '../../../lib/question/plan.ts';
import { reconcile } from '../../../lib/reconcile.ts';
import { sessions } from '../../../lib/session/plan.ts';
import { sweep, type Tally } from '../../../lib/sweep/pass.ts';
import { MemoryServer } from '../../support/memory-client.ts';
import { makeQuestion, makeSession, NOW, YES } from '../../support/objects.ts';

const REF = { namespace: 'team-a', name: 'fix' };

interface Pass {
  now?: Date;
  most?: number;
}

function world() {
  const server = new MemoryServer();
  let clock = NOW;
  const options = { now: () => clock };
  const converge = {
    Session: (name: string, namespace = 'team-a') =>
      reconcile(sessions, { namespace, name }, { ...options, client: server.client('tiny-session'), look: 'closely' }),
    Question: (name: string, namespace = 'team-a') =>
      reconcile(questions, { namespace, name }, { ...options, client: server.client('tiny-question') }),
  };
  const found: string[] = [];
  const pass = ({ now = NOW, most = 100 }: Pass = {}): Promise<Tally> => {
    found.length = 0;
    clock = now;
    return sweep({
      sessions,
      questions,
      client: server.client('tiny-sweep'),
      now: () => now,
      most,
      atOnce: 2,
      signal: new AbortController().signal,
      hint: async ({ kind, name, namespace }) => {
        const { kind: outcome } = await converge[kind as 'Session' | 'Question'](name, namespace);
        return outcome === 'done' || outcome === 'refused';
      },
      log: ({ kind, name, why }) => found.push(`${kind} ${name}: ${why}`),
    });
  };
  const session = (parts: Parameters<typeof makeSession>[0] = {}) =>
    server.put(SESSIONS, { ...makeSession(parts), metadata: { ...REF, ...parts.metadata } } as Session);
  return { server, pass, found, session, stuck: () => findCondition(server.peek(SESSIONS, REF) ?? {}, 'Stuck') };
}

type World = ReturnType<typeof world>;
const edit = (object: Stored<KubeObject>) =>
  object as unknown as { spec: Record<string, never> & { replicas: number } };

describe('one pass', () => {
  test('makes what no event asked for, and finds nothing the next time', async () => {
    const { server, pass, found, session } = world();
    session();
    expect(await pass()).toMatchObject({ sessions: 1, outOfStep: 1, hinted: 1 });
    expect(found).toEqual(['Session fix: not as its spec asks']);
    expect(server.peek(DEPLOYMENTS, REF)).toBeDefined();
    const asked = server.asked.length;
    expect(await pass()).toMatchObject({ outOfStep: 0 });
    expect(server.asked.slice(asked).every(({ verb }) => verb === 'list')).toBe(true);
  });

  test.each([CLAIMS, NETWORK_POLICIES, DEPLOYMENTS])('brings back a $kind that was deleted', async (type) => {
    const { server, pass, found, session } = world();
    session();
    await pass();
    server.drop(type, REF);
    await pass();
    expect(found).toEqual([`Session fix: ${type.kind} missing`]);
    expect(server.peek(type, REF)).toBeDefined();
    expect(await pass()).toMatchObject({ outOfStep: 0 });
  });

  test('puts right a Deployment that was edited', async () => {
    const { server, pass, found, session } = world();
    session();
    await pass();
    server.change(DEPLOYMENTS, REF, (live) => Object.assign(edit(live).spec, { replicas: 3 }));
    await pass();
    expect(found).toEqual(['Session fix: Deployment changed']);
    expect(edit(server.peek(DEPLOYMENTS, REF) as Stored<KubeObject>).spec.replicas).toBe(1);
  });

  test('has an answer acted on whose event was lost', async () => {
    const { server, pass, found, session } = world();
    session();
    await pass();
    server.put(QUESTIONS, makeQuestion({ spec: { answer: YES } }) as Question);
    await pass();
    expect(found).toEqual(['Question fix-1: not acted on']);
    expect(server.peek(SESSIONS, { namespace: 'team-a', name: 'helper' })).toBeDefined();
  });

  test('says a refusal once, and tries again what may have become possible', async () => {
    const { server, pass, session } = world();
    session();
    server.put(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...REF } });
    await pass();
    const { resourceVersion } = (server.peek(SESSIONS, REF) as Stored<Session>).metadata;
    await pass();
    expect(server.peek(SESSIONS, REF)?.metadata.resourceVersion).toBe(resourceVersion);
    server.drop(DEPLOYMENTS, REF);
    await pass();
    expect(await pass()).toMatchObject({ outOfStep: 0 });
  });

  test('does a bounded number, fair among projects, and the rest in the next', async () => {
    const { pass, session } = world();
    for (const namespace of ['team-a', 'team-b'])
      for (let n = 0; n < 6; n++) session({ metadata: { namespace, name: `s${n}` } });
    expect(await pass({ most: 5 })).toMatchObject({ sessions: 12, outOfStep: 12, hinted: 5 });
    const rest = [1, 2, 3, 4].map((minutes) => new Date(NOW.getTime() + minutes * 60_000));
    for (const now of rest) await pass({ now, most: 5 });
    expect(await pass()).toMatchObject({ outOfStep: 0 });
  });

  test('leaves a Session alone that is being deleted', async () => {
    const { pass, session } = world();
    session({ metadata: { deletionTimestamp: '2026-11-30T11:59:00Z', finalizers: ['foregroundDeletion'] } });
    expect(await pass()).toMatchObject({ sessions: 1, outOfStep: 0 });
  });
});

describe('what is missing of a Session whose stamp is old', () => {
  const tomorrow = new Date(NOW.getTime() + 30 * 3_600_000);

  test('is told as what it hangs on, and nothing is handed over', async () => {
    const { server, pass, session, stuck } = world();
    session();
    await pass();
    expect(await pass({ now: tomorrow })).toMatchObject({ outOfStep: 0, told: 0 });
    server.drop(DEPLOYMENTS, REF);
    expect(await pass({ now: tomorrow })).toMatchObject({ outOfStep: 0, told: 1 });
    expect(stuck()).toMatchObject({ status: 'True', reason: 'RequesterExpired' });
    expect(stuck()?.message).toMatch(/^Deployment missing, and not put right: alice asked .*`tiny touch fix`/);
    expect(await pass({ now: tomorrow })).toMatchObject({ told: 0 });
  });

  test('is made again where the project lets a stamp be that old', async () => {
    const { server, pass, session } = world();
    session();
    const metadata = { namespace: 'team-a', name: 'tiny-settings' };
    server.put(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'identity.maxAge': '48h' } });
    await pass();
    server.drop(DEPLOYMENTS, REF);
    await pass({ now: tomorrow });
    expect(server.peek(DEPLOYMENTS, REF)).toBeDefined();
  });
});

describe('what a Session hangs on', () => {
  const pulling = (message: string) => ({
    phase: 'Pending',
    containerStatuses: [
      { name: 'agent', image: 'no/such', state: { waiting: { reason: 'ImagePullBackOff', message } } },
    ],
  });
  const putPod = ({ server }: World, status: object) => {
    const { uid } = (server.peek(SESSIONS, REF) as Stored<Session>).metadata;
    const labels = { 'app.kubernetes.io/managed-by': 'tiny', 'tiny.dev/session-uid': uid };
    server.put(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'team-a', name: 'fix-1', labels },
      status,
    } as KubeObject);
  };

  test('has one Event a change, though the pass that told it was killed and comes again', async () => {
    const all = world();
    const { server, pass, session } = all;
    session();
    await pass();
    putPod(all, pulling('back-off 10s'));
    server.hooks.before = ({ verb }) => {
      if (verb === 'applyStatus') throw new Error('killed');
    };
    await expect(pass()).rejects.toThrow('killed');
    delete server.hooks.before;
    await pass({ now: new Date(NOW.getTime() + 60_000) });
    await pass({ now: new Date(NOW.getTime() + 120_000) });
    putPod(all, { phase: 'Running' });
    await pass({ now: new Date(NOW.getTime() + 180_000) });
    const { items: events } = await server.client('reader').list(EVENTS, { namespace: 'team-a' });
    expect(events).toMatchObject([
      { type: 'Warning', reason: 'ImagePull', involvedObject: { kind: 'Session', name: 'fix' } },
      { type: 'Normal', reason: 'GoesOn' },
    ]);
  });

  test('is told once, however Kubernetes words it the next minute, and taken back once it has passed', async () => {
    const all = world();
    const { server, pass, session, stuck } = all;
    session();
    await pass();
    putPod(all, pulling('Back-off pulling image'));
    expect(await pass()).toMatchObject({ told: 1 });
    expect(stuck()).toMatchObject({
      status: 'True',
      reason: 'ImagePull',
      message: `the image "no/such" of container "agent" can't be pulled: Back-off pulling image`,
    });
    putPod(all, pulling('rpc error: not found'));
    expect(await pass()).toMatchObject({ told: 0 });
    server.drop(PODS, { namespace: 'team-a', name: 'fix-1' });
    expect(await pass()).toMatchObject({ told: 1 });
    expect(stuck()).toMatchObject({ status: 'False', reason: 'GoesOn' });
    expect(await pass()).toMatchObject({ told: 0 });
  });

  test('does not stand in the way of what the function and the agent say', async () => {
    const all = world();
    const { pass, session, server } = all;
    session();
    await pass();
    putPod(all, pulling('x'));
    await pass();
    const conditions = server.peek(SESSIONS, REF)?.status?.conditions?.map(({ type }) => type);
    expect(conditions).toEqual(expect.arrayContaining(['Materialised', 'Suspended', 'Ready', 'Stuck']));
    expect(await pass()).toMatchObject({ outOfStep: 0 });
  });
});
