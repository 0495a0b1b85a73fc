import { describe, expect, test } from 'vitest';
import { findCondition } from '../../../lib/api/conditions.ts';
import type { Stored } from '../../../lib/api/meta.ts';
import type { Question } from '../../../lib/api/question.ts';
import type { Session } from '../../../lib/api/session.ts';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { makeChild } from '../../../lib/question/make-child.ts';
import { questions } from '../../../lib/question/plan.ts';
import { reconcile } from '../../../lib/reconcile.ts';
import { apiError, type Hooks, MemoryServer } from '../../support/memory-client.ts';
import { at, BOB, CAROL, makeQuestion, makeSession, NOW, YES } from '../../support/objects.ts';

const REF = { namespace: 'team-a', name: 'fix-1' };
const CHILD = { namespace: 'team-a', name: 'helper' };

function given(question: Stored<Question> = makeQuestion({ spec: { answer: YES } }), hooks: Hooks = {}) {
  const server = new MemoryServer(hooks);
  server.put(QUESTIONS, question as Question);
  const run = () => reconcile(questions, REF, { client: server.client('tiny-question'), now: () => NOW });
  const says = (type: string) => {
    const live = server.peek(QUESTIONS, REF);
    const { status, reason, message } = (live && findCondition(live, type)) ?? {};
    return { status, reason, message };
  };
  return { server, run, says };
}

test('a yes makes one child, as the answerer, and the Session that asked hears of it', async () => {
  const { server, run, says } = given();
  expect(await run()).toMatchObject({ kind: 'done' });
  expect(server.asked.map(({ verb, kind, user }) => [verb, kind, user])).toEqual([
    ['get', 'Question', undefined],
    ['create', 'Session', 'bob'],
    ['get', 'Session', undefined],
    ['applyStatus', 'Question', undefined],
  ]);
  expect(says('Acted')).toMatchObject({ status: 'True', reason: 'Spawned' });
  expect(server.peek(QUESTIONS, REF)?.status).toMatchObject({ child: 'helper' });
});

test('the same answer ten times at once makes one child', async () => {
  const { server, run, says } = given();
  const outcomes = await Promise.all(Array.from({ length: 10 }, run));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['done']));
  expect(server.all()).toEqual(['Question fix-1', 'Session helper']);
  expect(says('Acted')).toMatchObject({ status: 'True', reason: 'Spawned' });
});

test('answered again after it was acted on, costs one read and does nothing', async () => {
  const { server, run } = given();
  await run();
  server.drop(SESSIONS, CHILD);
  const before = server.asked.length;
  expect(await run()).toEqual({ kind: 'done', message: 'nothing to do' });
  expect(server.verbs().slice(before)).toEqual(['get Question']);
});

describe.each(['before', 'after'] as const)('a function that is killed %s write', (moment) => {
  test.each([1, 2])('%i makes one child when it runs again', async (k) => {
    const hooks: Hooks = {};
    const { server, run, says } = given(undefined, hooks);
    hooks[moment] = (_asked, write) => {
      if (write === k) throw new Error('killed');
    };
    expect(await run()).toMatchObject({ kind: 'failed' });
    delete hooks[moment];
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(server.all()).toEqual(['Question fix-1', 'Session helper']);
    expect(says('Acted')).toMatchObject({ status: 'True', reason: 'Spawned' });
  });
});

describe('a name that is taken', () => {
  test('by a stranger is refused for good, and the stranger left alone', async () => {
    const { server, run, says } = given();
    const stranger = server.put(SESSIONS, makeSession({ metadata: CHILD }) as Session);
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(says('Acted')).toMatchObject({ status: 'False', reason: 'NameTaken' });
    expect(says('Acted').message).toContain('Session "helper"');
    expect(server.peek(SESSIONS, CHILD)).toEqual(stranger);
    server.drop(SESSIONS, CHILD);
    await run();
    expect(server.peek(SESSIONS, CHILD)).toBeUndefined();
  });

  test('by one that is being deleted is refused, and promises no other try', async () => {
    const { server, run, says } = given();
    server.put(
      SESSIONS,
      makeSession({ metadata: { ...CHILD, deletionTimestamp: at(-1), finalizers: ['a/b'] } }) as Session,
    );
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(says('Acted')).toMatchObject({ status: 'False', reason: 'PredecessorTerminating' });
    expect(says('Acted').message).not.toContain('again');
  });

  test('by a Session that somebody has passed off as the child is a refusal', async () => {
    const { server, run, says } = given();
    const metadata = { ...CHILD, annotations: { 'tiny.dev/question-uid': 'uid-of-fix-1' } };
    server.put(SESSIONS, makeSession({ metadata }) as Session);
    expect(await run()).toMatchObject({ kind: 'refused' });
    expect(says('Acted')).toMatchObject({ status: 'False', reason: 'NameTaken' });
  });

  test('by the child that this question made already is success', async () => {
    const { server, run, says } = given();
    const metadata = { ...CHILD, annotations: { 'tiny.dev/question-uid': 'uid-of-fix-1' } };
    const made = server.put(SESSIONS, {
      ...makeChild(makeQuestion({ spec: { answer: YES } }), BOB),
      metadata,
    } as unknown as Session);
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(says('Acted')).toMatchObject({ status: 'True', reason: 'Spawned' });
    expect(server.peek(SESSIONS, CHILD)).toEqual(made);
  });
});

test('carol, who may not, is refused in the words of the API server, for good', async () => {
  const words =
    'sessions.tiny.dev is forbidden: User "carol" cannot create resource "sessions" in API group "tiny.dev"';
  const hooks: Hooks = {
    before: ({ user }) => {
      if (user === 'carol') throw apiError(403, 'Forbidden', words);
    },
  };
  const { server, run, says } = given(makeQuestion({ spec: { answer: { option: 'allow', by: CAROL } } }), hooks);
  expect(await run()).toMatchObject({ kind: 'refused' });
  expect(says('Acted')).toEqual({ status: 'False', reason: 'Forbidden', message: `Session "helper": ${words}` });
  expect(says('Answered')).toEqual({ status: 'True', reason: 'Answered', message: 'answered by carol' });
  delete hooks.before;
  await run();
  expect(server.all()).toEqual(['Question fix-1']);
});

test.each([
  ['an answer that came too late', { answer: YES, expiresAt: at(-1) }, 'False'],
  ['silence', { expiresAt: at(-1) }, 'False'],
])('%s makes nothing and is told as expired', async (_what, spec, answered) => {
  const { server, run, says } = given(makeQuestion({ spec }));
  expect(await run()).toMatchObject({ kind: 'refused' });
  expect(says('Acted')).toMatchObject({ status: 'False', reason: 'Expired' });
  expect(says('Answered')).toMatchObject({ status: answered, reason: 'Expired' });
  expect(server.all()).toEqual(['Question fix-1']);
});

test.each([
  ['throttled', apiError(429, 'TooManyRequests', 'slow'), 'throttled'],
  ['an error of the server', apiError(500, 'InternalError', 'no'), 'failed'],
])('%s is tried again and refuses nothing', async (_what, error, kind) => {
  const hooks: Hooks = {
    before: ({ verb }) => {
      if (verb === 'create') throw error;
    },
  };
  const { run, says } = given(undefined, hooks);
  expect(await run()).toMatchObject({ kind });
  expect(says('Acted')).toEqual({});
  delete hooks.before;
  expect(await run()).toMatchObject({ kind: 'done' });
});

test('an answer that arrives while an open question is looked at is not lost', async () => {
  const { server, run, says } = given(makeQuestion());
  expect(await run()).toMatchObject({ kind: 'done', message: 'nothing to do' });
  server.change(QUESTIONS, REF, ({ spec }) => Object.assign(spec, { answer: { option: 'deny', by: BOB } }));
  await run();
  expect(says('Acted')).toMatchObject({ status: 'True', reason: 'Denied' });
});
