import { describe, expect, test } from 'vitest';
import { sessionMessage, sessionState } from '../../../cli/session/state.ts';
import type { Condition } from '../../../lib/api/meta.ts';
import { condition, makeSession } from '../../support/objects.ts';

const stuck = condition('Stuck', 'True', { reason: 'ImagePull', message: 'the image "x" can\'t be pulled' });
const told = (...conditions: Condition[]) => makeSession({ status: { message: 'reading', conditions } });
const starting = condition('Ready', 'False', { reason: 'Starting' });

describe('a Session that hangs', () => {
  test('says on what', () => {
    expect(sessionState(told(starting, stuck))).toBe('ImagePull');
    expect(sessionMessage(told(starting, stuck))).toBe('the image "x" can\'t be pulled');
  });

  test.each([
    ['that was put to rest', condition('Suspended', 'True', { reason: 'Requested' }), 'Suspended'],
    ['that was refused', condition('Materialised', 'False', { reason: 'Forbidden' }), 'Forbidden'],
    ['that has finished', condition('Finished', 'True', { reason: 'Completed' }), 'Finished'],
  ])('but not one %s', (_what, other, state) => expect(sessionState(told(starting, stuck, other))).toBe(state));

  test('nor one that goes on', () => {
    const over = condition('Stuck', 'False', { reason: 'GoesOn' });
    expect(sessionState(told(starting, over))).toBe('Starting');
    expect(sessionMessage(told(starting, over))).toBe('reading');
  });
});
