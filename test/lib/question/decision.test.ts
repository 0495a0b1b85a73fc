import { describe, expect, test } from 'vitest';
import type { ManagedFieldsEntry } from '../../../lib/api/meta.ts';
import { answeredAt, decide } from '../../../lib/question/decision.ts';
import { at, BOB, condition, makeQuestion, NOW, YES } from '../../support/objects.ts';

const wrote = (time: string, fields: object = { 'f:spec': { 'f:answer': {} } }, more: ManagedFieldsEntry = {}) => ({
  manager: 'tiny',
  operation: 'Update' as const,
  time,
  fieldsV1: fields as Record<string, unknown>,
  ...more,
});
const managed = (...managedFields: ManagedFieldsEntry[]) => ({ managedFields });
const ALL = [
  { id: 'allow', text: 'Yes', effect: 'Allow' },
  { id: 'allow-always', text: 'Always', effect: 'AllowAlways' },
  { id: 'deny', text: 'No', effect: 'Deny' },
  { id: 'deny-always', text: 'Never', effect: 'DenyAlways' },
];

describe('a question that nobody answered', () => {
  test.each([
    ['without an expiry', {}, { state: 'open' }],
    ['before its expiry', { expiresAt: at(1) }, { state: 'open' }],
    ['at its expiry', { expiresAt: at(0) }, { state: 'open' }],
    ['after its expiry', { expiresAt: at(-1) }, { state: 'expired', allowed: false }],
    [
      'after its expiry in another zone',
      { expiresAt: '2026-11-30T13:59:59+02:00' },
      { state: 'expired', allowed: false },
    ],
    [
      'after its expiry, with a default',
      { expiresAt: at(-1), defaultOption: 'deny' },
      { state: 'expired', allowed: false, option: 'deny' },
    ],
  ])('%s', (_what, spec, expected) => expect(decide(makeQuestion({ spec }), NOW)).toEqual(expected));

  test('and whose default allows, allows nothing all the same', () => {
    const question = makeQuestion({ spec: { expiresAt: at(-1), defaultOption: 'allow' } });
    expect(decide(question, NOW)).toMatchObject({ state: 'expired', allowed: false });
  });
});

test('a question that was withdrawn is decided: no answer counts, before or after', () => {
  const status = { conditions: [condition('Answered', 'False', { reason: 'Withdrawn' })] };
  for (const spec of [{}, { answer: YES }])
    expect(decide(makeQuestion({ spec, status }), NOW)).toEqual({ state: 'expired', allowed: false });
});

describe('an option', () => {
  test.each([
    ['allow', true],
    ['allow-always', true],
    ['deny', false],
    ['deny-always', false],
    ['unknown', false],
  ])('%s allows: %s', (option, allowed) => {
    const question = makeQuestion({ spec: { options: ALL, answer: { option, by: BOB } } });
    expect(decide(question, NOW)).toEqual({ state: 'answered', allowed, option, by: BOB });
  });

  test('with no effect allows nothing', () => {
    const question = makeQuestion({
      spec: { kind: 'Ask', options: [{ id: 'a', text: 'A' }], answer: { option: 'a' } },
    });
    expect(decide(question, NOW)).toEqual({ state: 'answered', allowed: false, option: 'a' });
  });

  test('words allow nothing', () => {
    const question = makeQuestion({ spec: { kind: 'Ask', answer: { text: 'yes', by: BOB } } });
    expect(decide(question, NOW)).toEqual({ state: 'answered', allowed: false, text: 'yes', by: BOB });
  });

  test('of no list allows nothing', () => {
    const question = makeQuestion({ spec: { options: undefined, answer: YES } });
    expect(decide(question, NOW)).toMatchObject({ allowed: false });
  });
});

describe('an answer', () => {
  const answered = (expiresAt: string, managedFields: ManagedFieldsEntry[], more = {}) =>
    makeQuestion({ metadata: managed(...managedFields), spec: { expiresAt, answer: { ...YES, ...more } } });

  test('that came in time counts, however late it is looked at', () => {
    expect(decide(answered(at(-100), [wrote(at(-101))]), NOW)).toMatchObject({ state: 'answered', allowed: true });
    expect(decide(answered(at(-100), [wrote(at(-100))]), NOW)).toMatchObject({ state: 'answered', allowed: true });
  });

  test('that came too late counts for nothing, though it claims to be earlier', () => {
    const late = answered(at(-100), [wrote(at(-99))], { at: at(-1000) });
    expect(decide(late, NOW)).toEqual({ state: 'expired', allowed: false });
  });

  test('that came at nobody knows when counts from when it is seen', () => {
    expect(decide(answered(at(1), []), NOW)).toMatchObject({ state: 'answered' });
    expect(decide(answered(at(-1), []), NOW)).toMatchObject({ state: 'expired' });
  });

  test('with an expiry that nobody can read is no answer', () => {
    const question = makeQuestion({ spec: { answer: YES } });
    question.spec.expiresAt = 'soon';
    expect(decide(question, NOW)).toMatchObject({ state: 'expired', allowed: false });
  });
});

describe('the time of the answer', () => {
  const time = (...entries: ManagedFieldsEntry[]) =>
    answeredAt(makeQuestion({ metadata: managed(...entries) }))?.toISOString();
  const seconds = (n: number) => new Date(NOW.getTime() + n * 1000).toISOString();

  test('is when a manager that owns it wrote last', () => {
    expect(time(wrote(at(-5)), wrote(at(-3)), wrote(at(-1), { 'f:metadata': {} }))).toBe(seconds(-3));
  });

  test('is not when the status was written', () => {
    expect(time(wrote(at(-5)), wrote(at(-1), undefined, { subresource: 'status' }))).toBe(seconds(-5));
  });

  test('is unknown where nobody says', () => {
    expect(time()).toBeUndefined();
    expect(time({ manager: 'a' }, wrote(at(0), { 'f:spec': {} }), wrote(at(0), {}))).toBeUndefined();
    expect(time({ fieldsV1: { 'f:spec': { 'f:answer': {} } } })).toBeUndefined();
  });
});
