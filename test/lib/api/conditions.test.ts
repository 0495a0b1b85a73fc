import { expect, test } from 'vitest';
import { alreadySays, findCondition, isTrue, toTimestamp, transition } from '../../../lib/api/conditions.ts';
import { at, condition, NOW } from '../../support/objects.ts';

const object = {
  status: { conditions: [condition('Ready', 'True', { observedGeneration: 1 }), condition('Waiting', 'False')] },
};
const telling = { type: 'Ready', status: 'True', reason: 'Working', message: 'works' } as const;

test('a condition that keeps its status keeps the time of its last transition', () => {
  expect(transition(object, telling, NOW)).toEqual({ ...telling, lastTransitionTime: at(-60) });
});

test('a condition that changes its status, or is new, has changed now', () => {
  expect(transition(object, { ...telling, status: 'False' }, NOW).lastTransitionTime).toBe('2026-11-30T12:00:00Z');
  expect(transition({}, telling, NOW).lastTransitionTime).toBe('2026-11-30T12:00:00Z');
});

test('what is said already is the same but for its time', () => {
  const said = condition('Ready', 'True', { observedGeneration: 1, lastTransitionTime: at(0) });
  expect(alreadySays(object, said)).toBe(true);
  const others = [
    { reason: 'X' },
    { message: 'x' },
    { status: 'False' },
    { observedGeneration: 2 },
    { type: 'New' },
  ] as const;
  for (const other of others) expect(alreadySays(object, { ...said, ...other })).toBe(false);
});

test('a condition is found by its type, and is true only when it says so', () => {
  expect(findCondition(object, 'Waiting')?.status).toBe('False');
  expect(findCondition({}, 'Waiting')).toBeUndefined();
  expect([isTrue(object, 'Ready'), isTrue(object, 'Waiting'), isTrue(object, 'None')]).toEqual([true, false, false]);
});

test('a time is written in whole seconds', () => {
  expect(toTimestamp(new Date('2026-11-30T12:00:00.999Z'))).toBe('2026-11-30T12:00:00Z');
});
