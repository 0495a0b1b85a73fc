import { describe, expect, test } from 'vitest';
import { atZero, deadlineAt, isPastRetention, milliseconds } from '../../../lib/session/lifetime.ts';
import { fc } from '../../support/fast-check.ts';
import { at, condition, makeSession, NOW } from '../../support/objects.ts';

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['1h1m1s', 3_661_000],
  ['0s', 0],
  ['999999h', 3_599_996_400_000],
])('%s is %i ms', (duration, ms) => expect(milliseconds(duration)).toBe(ms));

test('hours, minutes and seconds add up', () => {
  const n = fc.nat(999_999);
  fc.assert(
    fc.property(n, n, n, (h, m, s) => {
      expect(milliseconds(`${h}h${m}m${s}s`)).toBe(((h * 60 + m) * 60 + s) * 1000);
    }),
  );
});

test('a deadline counts from the creation', () => {
  expect(deadlineAt(makeSession({ spec: { deadline: '1h' } }))?.toISOString()).toBe('2026-11-30T12:58:00.000Z');
  expect(deadlineAt(makeSession())).toBeUndefined();
  expect(deadlineAt(makeSession({ metadata: { creationTimestamp: '' }, spec: { deadline: '1h' } }))).toBeUndefined();
  expect(deadlineAt(makeSession({ spec: { deadline: '999999h' } }))?.toISOString()).toMatch(/^2140/);
});

const status = (...conditions: object[]) => ({ status: { conditions } });
const finished = condition('Finished', 'True');
const waiting = condition('Waiting', 'True', { lastTransitionTime: at(-60) });
const message = { messages: [{ id: 'm', text: 't' }] };
const idle = (suspendAfter: string) => ({ idle: { suspendAfter } });
const resting = { ...waiting, reason: 'Message' };
const until = (suspendAfter: string, finishAfter: string) => ({ idle: { suspendAfter, finishAfter } });

describe('the workload', () => {
  test.each([
    ['runs', {}, undefined],
    ['is suspended on request', { spec: { suspend: true } }, 'Requested'],
    ['is past its deadline to the second', { spec: { deadline: '120s' } }, 'Deadline'],
    ['is a second before its deadline', { spec: { deadline: '121s' } }, undefined],
    ['is suspended past its deadline', { spec: { suspend: true, deadline: '1s' } }, 'Requested'],
    ['has finished', status(finished), 'Finished'],
    ['has unfinished again', status({ ...finished, status: 'False' }), undefined],
    ['has finished and a message waits', { spec: message, ...status(finished) }, undefined],
    [
      'has finished and read its message',
      { spec: message, status: { conditions: [finished], messagesRead: 1 } },
      'Finished',
    ],
    ['is past its deadline and a message waits', { spec: { ...message, deadline: '1s' } }, 'Deadline'],
    ['waits as long as it may', { spec: idle('60s'), ...status(waiting) }, 'Idle'],
    ['waits a second less', { spec: idle('61s'), ...status(waiting) }, undefined],
    ['waits with no limit', status(waiting), undefined],
    ['waits no longer', { spec: idle('1s'), ...status({ ...waiting, status: 'False' }) }, undefined],
    ['waits too long and a message waits', { spec: { ...idle('1s'), ...message }, ...status(waiting) }, undefined],
    [
      'waits too long but was touched since',
      { spec: { ...idle('60s'), touched: at(-1) }, ...status(waiting) },
      undefined,
    ],
    ['waits for a message as long as it may', { spec: until('60s', '5m'), ...status(resting) }, 'Idle'],
    ['waits for a message a second less', { spec: until('61s', '5m'), ...status(resting) }, undefined],
    ['waits for a message so long that it has finished', { spec: until('30s', '60s'), ...status(resting) }, undefined],
    ['waits for an answer, however long', { spec: until('30s', '60s'), ...status(waiting) }, 'Idle'],
    ['was touched too long ago', { spec: { ...idle('60s'), touched: at(-60) }, ...status(waiting) }, 'Idle'],
    ['was touched before it waited', { spec: { ...idle('60s'), touched: at(-999) }, ...status(waiting) }, 'Idle'],
  ])('that %s', (_what, parts, expected) => expect(atZero(makeSession(parts), NOW)).toBe(expected));
});

describe('the retention', () => {
  const ended = status(condition('Finished', 'True', { lastTransitionTime: at(-60) }));
  test.each([
    ['has passed to the second', { spec: { ttlAfterFinished: '60s' }, ...ended }, true],
    ['has not passed', { spec: { ttlAfterFinished: '61s' }, ...ended }, false],
    ['is for ever', ended, false],
    ['of one that has not finished', { spec: { ttlAfterFinished: '1s' } }, false],
    ['of one that goes on', { spec: { ttlAfterFinished: '1s' }, ...status(condition('Finished', 'False')) }, false],
    ['of zero', { spec: { ttlAfterFinished: '0s' }, ...ended }, true],
    [
      'has passed while a message waits that the deadline forbids to read',
      { spec: { ttlAfterFinished: '1s', deadline: '1s', ...message }, ...ended },
      true,
    ],
    ['has passed while a message waits', { spec: { ttlAfterFinished: '1s', ...message }, ...ended }, false],
  ])('%s', (_what, parts, expected) => expect(isPastRetention(makeSession(parts), NOW)).toBe(expected));
});
