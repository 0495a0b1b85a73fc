import { describe, expect, test } from 'vitest';
import { questions } from '../../../lib/question/plan.ts';
import { sessions } from '../../../lib/session/plan.ts';
import { exceeded, holders } from '../../../lib/session/quota.ts';
import { BOB, condition, makeQuestion, makeSession, NOW, YES } from '../../support/objects.ts';

describe('what a used-up quota says', () => {
  test.each([
    [
      'sessions.tiny.dev "b" is forbidden: exceeded quota: tiny, requested: count/sessions.tiny.dev=1, used: count/sessions.tiny.dev=5, limited: count/sessions.tiny.dev=5',
      { quota: 'tiny', of: 'count/sessions.tiny.dev', limit: '5' },
    ],
    [
      'pods "x" is forbidden: exceeded quota: team, requested: limits.cpu=2,pods=1, used: limits.cpu=8,pods=4, limited: limits.cpu=8,pods=4',
      { quota: 'team', of: 'limits.cpu, pods', limit: '8, 4' },
    ],
    ['User "bob" cannot create resource "sessions"', undefined],
  ])('%s', (message, full) => expect(exceeded(message)).toEqual(full));
});

test('who has most comes first, and finished ones are told apart', () => {
  const sessions = [
    makeSession({ spec: { requester: BOB } }),
    makeSession({ status: { conditions: [condition('Finished', 'True')] } }),
    makeSession(),
    makeSession({ spec: { requester: undefined } }),
  ];
  expect(holders(sessions)).toEqual([
    { who: 'alice', count: 2, finished: 1 },
    { who: 'bob', count: 1, finished: 0 },
    { who: 'nobody', count: 1, finished: 0 },
  ]);
});

describe('a full project', () => {
  const refusal = { reason: 'QuotaExceeded', message: 'exceeded quota: few', passes: false };
  const words = (report: { conditions: { message: string }[] } | undefined) => report?.conditions.at(-1)?.message;

  test('is told on the Session with what makes room', () =>
    expect(words(sessions.refused(makeSession(), refusal, NOW))).toMatch(/^exceeded quota: few; .*`tiny suspend`/));

  test('is told on the Question whose child it refuses', () =>
    expect(words(questions.refused(makeQuestion({ spec: { answer: YES } }), refusal, NOW))).toMatch(
      /^exceeded quota: few; .*`tiny rm` makes room; then the agent may ask again$/,
    ));
});
