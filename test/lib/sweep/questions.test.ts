import { describe, expect, test } from 'vitest';
import type { Notice } from '../../../lib/api/question-notices.ts';
import { digestOf, makeTelling } from '../../../lib/channel/telling.ts';
import { questions } from '../../../lib/question/plan.ts';
import { questionOutOfStep } from '../../../lib/sweep/question-out-of-step.ts';
import { at, condition, makeQuestion, NOW, YES } from '../../support/objects.ts';

type Parts = Parameters<typeof makeQuestion>[0];
const notice = (more: Partial<Notice>): Notice => ({
  channel: 'slack',
  state: 'Sent',
  at: at(-600),
  tries: 0,
  ...more,
});
const why = (parts: Parts, finished: string[] = []) =>
  questionOutOfStep(questions, makeQuestion(parts), { now: NOW, finished: new Set(finished) });
const owned = { ownerReferences: [{ apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', name: 'fix', uid: 'u1' }] };
const told = { notices: [notice({})] };

describe('a Question is worth a look', () => {
  test.each<[string, Parts, string]>([
    ['that was answered and not acted on', { spec: { answer: YES }, status: told }, 'not acted on'],
    ['of which nobody was told', { metadata: { creationTimestamp: at(-120) } }, 'nobody was told'],
    [
      'whose sender has died',
      { status: { notices: [notice({ state: 'Sending', at: at(-60) })] } },
      'people were not told',
    ],
    [
      'that could not be sent, once it is time',
      { status: { notices: [notice({ state: 'Failed', again: at(-1) })] } },
      'people were not told',
    ],
    [
      'that soon expires',
      { metadata: { creationTimestamp: at(-3000) }, spec: { expiresAt: at(300) }, status: told },
      'expires soon',
    ],
  ])('%s', (_what, parts, word) => expect(why(parts)).toBe(word));

  test('whose Session has finished', () => {
    expect(why({ metadata: owned, status: told }, ['u1'])).toBe('nobody waits for it');
  });
});

describe('a message that still shows what was asked, though the Question is decided', () => {
  const decided = (seconds: number, notices = [notice({ shown: 'what it was' })]): Parts => ({
    spec: { answer: YES },
    status: {
      notices,
      conditions: ['Answered', 'Acted'].map((type) =>
        condition(type, 'True', { reason: type, lastTransitionTime: at(seconds) }),
      ),
    },
  });

  test('is found where the event that would have changed it was lost', () => {
    expect(why(decided(-300))).toBe('people see what was asked');
  });

  test('is left alone while its event may be under way, long after, and where it shows what came of it', () => {
    expect(why(decided(-5))).toBeUndefined();
    expect(why(decided(-7200))).toBeUndefined();
    const shown = digestOf(makeTelling(makeQuestion(decided(-300)), NOW));
    expect(why(decided(-300, [notice({ shown })]))).toBeUndefined();
  });
});

describe('nothing is to be done about one', () => {
  test.each<[string, Parts]>([
    ['that is open, and told', { status: told }],
    ['that has only just been asked', { metadata: { creationTimestamp: at(-10) } }],
    ['that was asked long ago in a project without channels', { metadata: { creationTimestamp: at(-7200) } }],
    ['that is being sent', { status: { notices: [notice({ state: 'Sending', at: at(-5) })] } }],
    ['that is to be tried again later', { status: { notices: [notice({ state: 'Failed', again: at(60) })] } }],
    [
      'of whose end people were reminded',
      {
        metadata: { creationTimestamp: at(-3000) },
        spec: { expiresAt: at(300) },
        status: { notices: [notice({ reminded: true })] },
      },
    ],
    [
      'that was acted on, though its Session has finished',
      {
        metadata: owned,
        spec: { answer: YES },
        status: {
          ...told,
          conditions: ['Answered', 'Acted'].map((type) => condition(type, 'True', { lastTransitionTime: at(-7200) })),
        },
      },
    ],
    [
      'that was decided before anybody could be told of it, for then nobody is',
      {
        spec: { answer: YES },
        status: {
          notices: [notice({ state: 'Failed', again: at(-60) })],
          conditions: ['Answered', 'Acted'].map((type) => condition(type, 'True')),
        },
      },
    ],
  ])('%s', (_what, parts) => expect(why(parts, ['u1'])).toBeUndefined());
});
