import { expect, test } from 'vitest';
import type { Session } from '../../../lib/api/session.ts';
import { wake } from '../../../lib/session/wake.ts';

const NOW = new Date('2026-11-30T12:00:00Z');
const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-11-30T11:00:00Z',
});
const session = (...conditions: ReturnType<typeof condition>[]) => ({ status: { conditions } }) as unknown as Session;

test('a Session that sleeps until the answer is told that it no longer waits', () => {
  const asleep = session(condition('Suspended', 'True', 'Idle'), condition('Waiting', 'True', 'Question'));
  expect(wake(asleep, 'q', NOW)).toEqual({
    conditions: [
      {
        type: 'Waiting',
        status: 'False',
        reason: 'Answered',
        message: 'Question q is no longer open',
        lastTransitionTime: '2026-11-30T12:00:00Z',
      },
    ],
  });
});

test.each([
  ['awake', session(condition('Suspended', 'False', 'Running'), condition('Waiting', 'True', 'Question'))],
  [
    'suspended on request',
    session(condition('Suspended', 'True', 'Requested'), condition('Waiting', 'True', 'Question')),
  ],
  ['woken already', session(condition('Suspended', 'True', 'Idle'), condition('Waiting', 'False', 'Answered'))],
  ['new', session()],
])('a Session that is %s is told nothing', (_, given) => {
  expect(wake(given, 'q', NOW)).toBeUndefined();
});
