import { describe, expect, test } from 'vitest';
import type { ConfigMap } from '../../../lib/kube/types.ts';
import { planQuestion, questions } from '../../../lib/question/plan.ts';
import { at, makeQuestion, NOW, YES } from '../../support/objects.ts';

const HOUR = 3600;

/** Answered so many hours ago, as the API server says. */
const answered = (hours: number, spec: object = {}) =>
  makeQuestion({
    metadata: {
      managedFields: [
        {
          manager: 'kubectl',
          operation: 'Update',
          time: at(-hours * HOUR),
          fieldsV1: { 'f:spec': { 'f:answer': {} } },
        },
      ],
    },
    spec: { answer: YES, ...spec },
  });

const settings = (maxAge: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'tiny-settings' },
  data: { 'identity.maxAge': maxAge },
});

/** With the project's settings read, if the plan asks for them. */
function plan(hours: number, found?: ConfigMap, maxAge = '24h') {
  const { reading, ...first } = planQuestion(answered(hours), NOW, maxAge);
  return reading ? reading.plan([found as never]) : first;
}

describe('a yes that nobody acted on', () => {
  test('for a day is not acted on any more; that is told for good', () => {
    const { ensure, refusal, tidings } = plan(25);
    expect(ensure).toEqual([]);
    expect(refusal).toMatchObject({ reason: 'AnswererExpired', passes: false });
    expect(refusal?.message).toMatch(/^the answer of bob came at 2026-11-29T11:00:00Z .* 24h .* nothing was done/);
    expect(tidings).toBeDefined();
    expect(questions.final).toBe(true);
  });

  test('for longer than the project allows is not', () => expect(plan(3, settings('2h')).refusal).toBeDefined());

  test('for less than the project allows is', () => expect(plan(30, settings('48h')).ensure).toHaveLength(1));

  test('for less than an hour is, and the settings are not read', () =>
    expect(planQuestion(answered(0.9), NOW, '24h').reading).toBeUndefined());

  test('to the question whether the agent may go on is told however late, for that makes nothing', () => {
    const permit = answered(99, { kind: 'Permit', spawn: undefined, toolCall: { id: 'c', title: 'rm' } });
    expect(planQuestion(permit, NOW, '24h')).toMatchObject({ ensure: [], report: { conditions: expect.anything() } });
  });
});
