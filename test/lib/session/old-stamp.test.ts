import { describe, expect, test } from 'vitest';
import { findCondition } from '../../../lib/api/conditions.ts';
import type { Stored } from '../../../lib/api/meta.ts';
import type { Session } from '../../../lib/api/session.ts';
import { CONFIG_MAPS, DEPLOYMENTS, SESSIONS } from '../../../lib/kube/types.ts';
import { reconcile } from '../../../lib/reconcile.ts';
import { sessions, sessionsWithin } from '../../../lib/session/plan.ts';
import { askedAt, MAX_AGE } from '../../../lib/session/stamp-age.ts';
import { FORMATS } from '../../../lib/settings/schema.ts';
import { MemoryServer } from '../../support/memory-client.ts';
import { at, condition, makeSession, NOW } from '../../support/objects.ts';

const REF = { namespace: 'team-a', name: 'fix' };
const HOUR = 3600;
const later = (hours: number) => new Date(NOW.getTime() + hours * HOUR * 1000);

function world(parts: Parameters<typeof makeSession>[0] = {}) {
  const server = new MemoryServer();
  server.put(SESSIONS, makeSession(parts) as Session);
  const run = (hours: number, look?: 'closely', reconciler = sessions) =>
    reconcile(reconciler, REF, { client: server.client('tiny-session'), now: () => later(hours), look });
  const since = () => {
    const before = server.asked.length;
    return () => server.verbs().slice(before);
  };
  const told = (type: string) => findCondition(server.peek(SESSIONS, REF) ?? {}, type);
  const set = (spec: Partial<Session['spec']>) =>
    server.change(SESSIONS, REF, (live) => Object.assign(live.spec, spec));
  const replicas = () =>
    (server.peek(DEPLOYMENTS, REF) as { spec?: { replicas?: number } } | undefined)?.spec?.replicas;
  const settings = (data: Record<string, string>) =>
    server.put(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'team-a', name: 'tiny-settings' },
      data,
    });
  return { server, run, since, told, set, replicas, settings };
}

describe('when somebody last asked', () => {
  test.each([
    ['as it was made', {}, at(-120)],
    ['as it was touched', { touched: at(-10) }, at(-10)],
    ['as it was touched by a clock that is a little ahead', { touched: at(100) }, at(100)],
    ['as it was made, where the touch is yet to come', { touched: at(500) }, at(-120)],
    ['as it was made, where the touch is older', { touched: at(-900) }, at(-120)],
  ])('%s', (_what, spec, asked) => expect(askedAt(makeSession({ spec }), NOW)).toBe(Date.parse(asked)));
});

test('functions and the settings understand the same ages', () => expect(MAX_AGE.source).toBe(FORMATS.hours.pattern));

describe('with an old stamp', () => {
  test('a new Session is refused, with what to do', async () => {
    const { server, run, told } = world();
    expect(await run(25)).toMatchObject({ kind: 'refused' });
    expect(told('Materialised')).toMatchObject({
      status: 'False',
      reason: 'RequesterExpired',
      message: expect.stringMatching(/^alice asked for this at 2026-11-30T11:58:00Z, .* 24h .*`tiny touch fix`/),
    });
    expect(server.all()).toHaveLength(1);
  });

  test('one that is as it should be stays so, says nothing of it, and costs its read', async () => {
    const { run, since, told } = world();
    await run(0);
    const asked = since();
    await run(25);
    expect(asked()).toEqual(['get Session']);
    await run(25, 'closely');
    expect(told('Materialised')).toMatchObject({ status: 'True' });
  });

  test('a child that went is not made again', async () => {
    const { server, run } = world();
    await run(0);
    server.drop(DEPLOYMENTS, REF);
    await run(25, 'closely');
    expect(server.peek(DEPLOYMENTS, REF)).toBeUndefined();
  });

  test('a change is not followed until it is touched', async () => {
    const { run, told, set, replicas } = world({ spec: { suspend: true } });
    await run(0);
    set({ suspend: false });
    await run(25);
    expect(replicas()).toBe(0);
    expect(told('Materialised')).toMatchObject({ reason: 'RequesterExpired' });
    expect(told('Suspended')).toMatchObject({ status: 'True' });
    set({ touched: at(25 * HOUR) });
    expect(await run(25)).toMatchObject({ kind: 'done' });
    expect(replicas()).toBe(1);
    expect(told('Materialised')).toMatchObject({ status: 'True' });
  });

  test('a Session still goes to zero, and then rests without a word of it', async () => {
    const { run, since, told, set, replicas } = world();
    await run(0);
    set({ suspend: true });
    expect(await run(25)).toMatchObject({ kind: 'done' });
    expect(replicas()).toBe(0);
    expect(told('Suspended')).toMatchObject({ status: 'True', reason: 'Requested' });
    expect(told('Materialised')).toMatchObject({ status: 'True', observedGeneration: 1 });
    const asked = since();
    await run(26);
    expect(asked()).toEqual(['get Session', 'get ConfigMap']);
  });

  test('one that sleeps is not woken by an answer, and says why', async () => {
    const { server, run, told, replicas } = world({ spec: { idle: { suspendAfter: '10m', finishAfter: '0s' } } });
    await run(0);
    const waiting = (status: 'True' | 'False') =>
      server.change(SESSIONS, REF, (live) => {
        const others = (live.status?.conditions ?? []).filter(({ type }) => type !== 'Waiting');
        live.status = { ...live.status, conditions: [...others, condition('Waiting', status, { reason: 'Question' })] };
      });
    waiting('True');
    await run(1);
    expect(replicas()).toBe(0);
    waiting('False');
    await run(25);
    expect(replicas()).toBe(0);
    expect(told('Materialised')).toMatchObject({ reason: 'RequesterExpired' });
    expect(told('Suspended')).toMatchObject({ status: 'True', reason: 'Idle' });
  });

  test('one that has finished is removed after its time', async () => {
    const finished = condition('Finished', 'True');
    const { server, run } = world({ spec: { ttlAfterFinished: '1h' }, status: { conditions: [finished] } });
    await run(30);
    expect(server.peek(SESSIONS, REF)).toBeUndefined();
  });
});

describe('how old is too old', () => {
  test('is not asked while it is younger than any setting allows', async () => {
    const { run, since } = world();
    const asked = since();
    await run(0.9);
    expect(asked()).not.toContain('get ConfigMap');
  });

  test.each([
    ['the project says less', '2h', 3, 'refused'],
    ['the project says more', '48h', 30, 'done'],
    ['the project says what is not understood', 'for ever', 30, 'refused'],
  ])('%s', async (_what, maxAge, hours, kind) => {
    const { run, settings } = world();
    settings({ 'identity.maxAge': maxAge });
    expect(await run(hours)).toMatchObject({ kind });
  });

  test('the installation says it where the project does not', async () => {
    const { run } = world();
    expect(await run(30, undefined, sessionsWithin('72h'))).toMatchObject({ kind: 'done' });
  });

  test('does not matter to whoever acts for themselves', async () => {
    const { run, since } = world();
    const asked = since();
    expect(await run(9999, undefined, sessionsWithin(undefined))).toMatchObject({ kind: 'done' });
    expect(asked()).not.toContain('get ConfigMap');
  });
});

test('a touch that lies in the future is told of', async () => {
  const { run, told } = world({ spec: { touched: at(9999 * HOUR) } as Partial<Stored<Session>['spec']> });
  await run(25);
  expect(told('Materialised')?.message).toContain('spec.touched lies in the future');
});
