import { describe, expect, test } from 'vitest';
import type { Condition, KubeObject, Stored } from '../../../lib/api/meta.ts';
import type { Question } from '../../../lib/api/question.ts';
import { NOTHING, type Report } from '../../../lib/plan.ts';
import { isChild, makeChild } from '../../../lib/question/make-child.ts';
import { planQuestion, questions } from '../../../lib/question/plan.ts';
import { ALICE, at, BOB, condition, makeQuestion, NOW, YES } from '../../support/objects.ts';

const told = (report: Report | undefined) =>
  (report?.conditions ?? []).map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
const plan = (spec: object, more: object = {}) => planQuestion(makeQuestion({ spec: { ...spec }, ...more }), NOW);

const PERMIT = { kind: 'Permit', spawn: undefined, toolCall: { id: 'c', title: 'rm' } };
const ASK = { kind: 'Ask', spawn: undefined, options: undefined };
const NO = { option: 'deny', by: BOB };
const BY_BOB = 'Answered=True Answered: answered by bob';

describe('nothing is due', () => {
  test.each([
    ['for an open question', {}, {}],
    ['for one that was acted on', { answer: YES }, { status: { conditions: [condition('Acted', 'True')] } }],
    ['for one that was refused', { answer: YES }, { status: { conditions: [condition('Acted', 'False')] } }],
    ['for one that is being deleted', { answer: YES }, { metadata: { deletionTimestamp: at(-1) } }],
  ])('%s', (_what, spec, more) => expect(plan(spec, more)).toEqual(NOTHING));
});

describe('an answer', () => {
  test.each([
    ['no to a Spawn', { answer: NO }, 'Acted=True Denied: the answer was no, and nothing was done'],
    ['yes to a Permit', { ...PERMIT, answer: YES }, 'Acted=True Permitted: the agent may go on with exactly this call'],
    ['no to a Permit', { ...PERMIT, answer: NO }, 'Acted=True Denied: the answer was no, and nothing was done'],
    ['words to an Ask', { ...ASK, answer: { text: 'blue', by: BOB } }, 'Acted=True Told: the agent is told the answer'],
    [
      'an option to an Ask',
      { ...ASK, options: [{ id: 'deny', text: 'No' }], answer: NO },
      'Acted=True Told: the agent is told the answer',
    ],
  ])('%s is told, and nothing is made', (_what, spec, acted) => {
    const { report, tidings, ...rest } = plan(spec);
    expect(rest).toEqual(NOTHING);
    expect(tidings?.ref).toEqual({ name: 'fix', namespace: 'team-a' });
    expect(told(report)).toEqual([BY_BOB, acted]);
  });

  test('yes to a Spawn makes the Session as the answerer', () => {
    const { report, tidings: _, ...rest } = plan({ answer: YES });
    const child = makeChild(makeQuestion({ spec: { answer: YES } }), BOB);
    expect(rest).toEqual({
      actor: BOB,
      remove: [],
      ensure: [
        {
          type: expect.objectContaining({ kind: 'Session' }),
          object: child,
          known: false,
          mine: expect.any(Function),
          mode: 'create',
        },
      ],
    });
    expect(told(report)).toEqual([BY_BOB, 'Acted=True Spawned: bob made Session "helper"']);
    expect(report).toMatchObject({ child: 'helper' });
  });

  test('that was told is done with', () => {
    const question = makeQuestion({ spec: { answer: YES } });
    const status = planQuestion(question, NOW).report as unknown as Question['status'];
    expect(planQuestion({ ...question, status } as Stored<Question>, NOW)).toEqual(NOTHING);
  });
});

describe('refused is', () => {
  test.each([
    [
      'an answer after the expiry',
      { answer: YES, expiresAt: at(-1) },
      'Expired',
      /answer came after .*-30T11:59:59Z.* nothing was done/,
    ],
    ['silence until the expiry', { expiresAt: at(-1) }, 'Expired', /nobody answered before .* nothing was done/],
    ['a yes of nobody', { answer: { option: 'allow' } }, 'NoRequester', /nobody is stamped/],
    [
      'a yes of the cluster',
      { answer: { option: 'allow', by: { username: 'system:node:a' } } },
      'RequesterNotAPerson',
      /system:node:a/,
    ],
  ])('%s', (...[, spec, reason, message]) => {
    const { refusal, ensure, report } = plan(spec);
    expect(refusal).toMatchObject({ reason, passes: false, message: expect.stringMatching(message) });
    expect({ ensure, report }).toEqual({ ensure: [], report: undefined });
  });

  test('a yes of nobody, without advice that cannot help', () => {
    expect(plan({ answer: { option: 'allow' } }).refusal?.message).not.toContain('tiny touch');
  });
});

describe('a refusal', () => {
  const refuse = (spec: object, reason: string, conditions: Condition[] = []) =>
    questions.refused(
      makeQuestion({ spec: { ...spec }, status: { conditions } }),
      { reason, message: 'no', passes: false },
      NOW,
    );

  test('is told to the agent and to people', () => {
    expect(told(refuse({ answer: YES }, 'Forbidden'))).toEqual([BY_BOB, 'Acted=False Forbidden: no']);
  });

  test('of an answer that came too late is no answer', () => {
    expect(told(refuse({ answer: YES }, 'Expired'))).toEqual(['Answered=False Expired: no', 'Acted=False Expired: no']);
  });

  test('of somebody in system:masters explains why', () => {
    const by = { username: 'root', groups: ['system:masters'] };
    expect(told(refuse({ answer: { option: 'allow', by } }, 'Forbidden'))[1]).toMatch(
      /^Acted=False Forbidden: no\. Rights/,
    );
  });

  test('that was told already is not told again', () => {
    expect(refuse({ answer: YES }, 'Forbidden', refuse({ answer: YES }, 'Forbidden')?.conditions)).toBeUndefined();
  });

  test('stands for good', () => expect(questions.final).toBe(true));
});

describe('the child', () => {
  const question = makeQuestion({ spec: { answer: YES } });

  test('is exactly what was asked, and says whose yes it was', () => {
    expect(makeChild(question, BOB)).toEqual({
      apiVersion: 'tiny.dev/v1alpha1',
      kind: 'Session',
      metadata: {
        name: 'helper',
        namespace: 'team-a',
        labels: { 'tiny.dev/parent': 'fix' },
        annotations: { 'tiny.dev/question-uid': 'uid-of-fix-1' },
      },
      spec: { ...question.spec.spawn?.spec, parent: 'fix', requester: BOB },
    });
  });

  test('can not choose its parent or requester', () => {
    const sly = makeQuestion();
    Object.assign(sly.spec.spawn?.spec ?? {}, { parent: 'other', requester: ALICE });
    expect(makeChild(sly, BOB)?.spec).toMatchObject({ parent: 'fix', requester: BOB });
  });

  test('of an Ask is none', () => expect(makeChild(makeQuestion({ spec: ASK }), BOB)).toBeUndefined());

  test('is known by the question, not by its name', () => {
    const child = makeChild(question, BOB);
    if (!child) throw new Error('no child');
    const another = makeChild(makeQuestion({ metadata: { uid: 'another' } }), BOB);
    const live = { ...child, spec: { ...child.spec, suspend: false } };
    expect(isChild(child)(live)).toBe(true);
    expect(another && isChild(another)(live)).toBe(false);
    expect(isChild(child)({ ...live, metadata: { name: 'helper' } })).toBe(false);
    expect(isChild(child)({ ...live, spec: { ...live.spec, requester: ALICE } } as KubeObject)).toBe(false);
    expect(isChild(child)({ ...live, spec: { ...live.spec, prompt: 'something else' } } as KubeObject)).toBe(false);
  });
});
