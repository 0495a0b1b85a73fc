/** What can go wrong with an agent or its volume: told, survived where it passes, and given up in time where not. */
import { describe, expect, it } from 'vitest';
import type { TurnEnd } from '../../agent/harness/conversation.ts';
import type { JournalRecord } from '../../agent/harness/journal.ts';
import { MAX_RESUMES } from '../../agent/harness/next.ts';
import { CONTINUE } from '../../agent/harness/prompt.ts';
import { MAX_STALLS } from '../../agent/harness/stall.ts';
import { budgetQuestion } from '../../agent/tools/budget-question.ts';
import type { Session } from '../../lib/api/session.ts';
import { at, condition, makeQuestion } from '../support/objects.ts';
import { DONE, runLoop, type Stage } from './loop.ts';

const HOUR = 3_600_000;
const beating =
  (end: TurnEnd) =>
  async ({ pulse }: Stage): Promise<TurnEnd> => {
    pulse.beat();
    return end;
  };
const forever = () => new Promise<never>(() => {});

describe('an agent that hangs', () => {
  it('is told, ended and started again, and the Session given up after three times', async () => {
    const { end, ready, ends, prompts, clock, records } = await runLoop({
      play: forever,
      idle: { stalledAfter: '1h' },
    });
    expect(end).toMatchObject({ reason: 'Failed', message: expect.stringContaining('hung 3 times in turn 1') });
    expect(ready.filter(({ reason }) => reason === 'Stalled').map(({ status, message }) => [status, message])).toEqual(
      [1, 2, 3].map((n) => [
        'False',
        expect.stringContaining(`said nothing for 1h (spec.idle.stalledAfter)`) &&
          expect.stringContaining(`for the ${n}. time`),
      ]),
    );
    expect([ends, prompts.length, records.filter(({ type }) => type === 'stalled').length]).toEqual([3, 3, MAX_STALLS]);
    expect(clock.now()).toBeLessThan(3 * HOUR + 60_000);
  });

  it('goes on where it was when it hung but once', async () => {
    const play = async ({ prompts, pulse }: Stage) => {
      if (prompts.length === 1) return forever();
      pulse.beat();
      return DONE;
    };
    const { end, prompts } = await runLoop({ play, idle: { stalledAfter: '1h' } });
    expect(end).toMatchObject({ reason: 'Completed' });
    expect(prompts).toEqual([['do it'], [CONTINUE]]);
  });

  it('does not hang as long as it says something', async () => {
    const play = async ({ clock, pulse }: Stage) => {
      for (let n = 0; n < 10; n += 1) await clock.sleep(50 * 60_000).then(pulse.beat);
      return DONE;
    };
    expect(await runLoop({ play, idle: { stalledAfter: '1h' } })).toMatchObject({
      ends: 1,
      end: { reason: 'Completed' },
    });
  });

  it('does not hang while a person is asked', async () => {
    const waiting = { conditions: [condition('Waiting', 'True')] };
    const play = async ({ clock, session, pulse }: Stage) => {
      await clock.sleep(12 * HOUR);
      const lastTransitionTime = new Date(clock.now()).toISOString();
      session.status = { conditions: [condition('Waiting', 'False', { lastTransitionTime })] };
      await clock.sleep(HOUR / 2);
      pulse.beat();
      return DONE;
    };
    const { ends, end } = await runLoop({ play, idle: { stalledAfter: '1h' }, session: { status: waiting } });
    expect([ends, end?.reason]).toEqual([1, 'Completed']);
  });

  it('may hang for ever where the limit is 0', async () => {
    const play = async ({ clock }: Stage) => clock.sleep(1000 * HOUR).then(() => DONE);
    expect(await runLoop({ play })).toMatchObject({ end: { reason: 'Completed' }, ends: 1 });
  });
});

describe('an agent that does nothing', () => {
  it('has failed when it ends its turn in good order', async () => {
    const { end } = await runLoop({ play: async () => ({ ended: true, stopReason: 'end_turn', summary: ' ' }) });
    expect(end).toMatchObject({
      reason: 'Failed',
      message: expect.stringContaining('without having said or done anything'),
    });
  });

  it('has failed when its process ends each time, with why it did', async () => {
    const why = 'the agent (claude) ended with code 0';
    const { end, prompts } = await runLoop({ play: beating({ ended: false, why }) });
    expect(end).toMatchObject({ reason: 'Failed', message: expect.stringContaining(`${MAX_RESUMES} times`) });
    expect(end?.message).toContain(`the last time: ${why}`);
    expect(prompts).toHaveLength(MAX_RESUMES + 1);
  });

  it('has done something when it used a tool and said no word', async () => {
    const play = beating({ ...DONE, summary: '' });
    expect(await runLoop({ play })).toMatchObject({ end: { reason: 'Completed' } });
  });
});

it.each([
  ['API Error: 401 {"type":"error","error":{"type":"authentication_error"}}', 'spec.credentials'],
  ['Invalid API key · Please run /login', 'spec.credentials'],
  ['Credit balance is too low', 'add credit'],
])(
  'an agent that ends in good order with the words "%s" has failed, and what to do is told',
  async (summary, advice) => {
    const play = beating({ ...DONE, summary });
    const { end } = await runLoop({ play });
    expect(end).toMatchObject({ reason: 'Failed', message: expect.stringContaining(summary) });
    expect(end?.message).toContain(advice);
  },
);

it('an agent that talks about an error has not failed', async () => {
  const summary = 'Fixed: the client now retries where it got "API Error: 401" before.';
  expect(await runLoop({ play: async () => ({ ...DONE, summary }) })).toMatchObject({ end: { reason: 'Completed' } });
});

describe('a full volume', () => {
  const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  /** A journal that has no room three times in a row for each record. */
  const cramped = () => {
    let tries = 0;
    return (record: JournalRecord, records: JournalRecord[]) => {
      tries += 1;
      if (tries % 4 !== 0) throw noSpace();
      records.push(record);
    };
  };

  it('is told, and all goes on at the same place when there is room', async () => {
    const { end, ready, prompts, records } = await runLoop({ play: async () => DONE, append: cramped() });
    expect(end).toMatchObject({ reason: 'Completed' });
    expect(prompts).toEqual([['do it']]);
    expect(records.map(({ type }) => type)).toEqual(['session', 'prompt', 'ended', 'finished']);
    expect(ready.map(({ reason }) => reason)).toEqual([
      'VolumeFull',
      'VolumeFull',
      'Working',
      'VolumeFull',
      'VolumeFull',
      'Finished',
    ]);
    expect(ready[0]).toMatchObject({ status: 'False', message: expect.stringContaining('is full') });
  });

  it('hands over no prompt that it could not write down', async () => {
    const append = (record: JournalRecord, records: JournalRecord[]) => {
      if (record.type === 'prompt') throw Object.assign(new Error('gone'), { code: 'EIO' });
      records.push(record);
    };
    const run = runLoop({ play: () => expect.fail('it was handed over'), append });
    await expect(run).rejects.toThrow('gone');
  });
});

it('an agent that was away is told what became of its questions, and the last of it once', async () => {
  const text = { kind: 'Ask', options: undefined, spawn: undefined } as const;
  const questions = [
    makeQuestion({
      metadata: { name: 'q1' },
      spec: { ...text, text: 'Red or blue?', answer: { text: 'Blue\nplease' } },
    }),
    makeQuestion({ metadata: { name: 'q2' }, spec: { ...text, text: 'Shall I?' } }),
    makeQuestion({ metadata: { name: 'q3' }, spec: { ...text, text: 'Quick?', expiresAt: at(-1e9) } }),
  ];
  const status = { conditions: [], waitingFor: ['q1', 'q2', 'q3', 'gone'] };
  const records: JournalRecord[] = [
    { type: 'session', id: 'one' },
    { type: 'prompt', turn: 1, from: 'prompt' },
    { type: 'stopped' },
  ];
  const { prompts } = await runLoop({
    play: async () => DONE,
    records,
    questions: questions.map(({ spec, ...rest }) => ({ ...rest, spec })),
    session: { status } as Partial<Session>,
  });
  expect(prompts).toHaveLength(1);
  expect(prompts[0]?.[0]?.split('\n')).toEqual([
    CONTINUE,
    'Meanwhile this has happened:',
    'You had asked a person "Red or blue?", and the answer is: Blue',
    'please',
    'You had asked a person "Shall I?", and it is not answered yet: ask again in exactly the same words to wait for the answer.',
    'You had asked a person "Quick?", and it is not answered yet: ask again in exactly the same words to wait for the answer.',
  ]);
});

it('an agent is not told that it had asked what tiny asked: whether to go on at the limit of its budget', async () => {
  const over = { what: 'tokens', used: 9, limit: 9 } as const;
  const spec = { ...budgetQuestion('s', { round: 0, over }), answer: { option: 'go-on' } };
  const { prompts } = await runLoop({
    play: async () => DONE,
    records: [{ type: 'session', id: 'one' }, { type: 'prompt', turn: 1, from: 'prompt' }, { type: 'stopped' }],
    questions: [{ ...makeQuestion({ metadata: { name: 'q1' } }), spec }],
    session: { status: { conditions: [], waitingFor: ['q1'] } } as Partial<Session>,
  });
  expect(prompts).toEqual([[CONTINUE]]);
});

it('an idle agent says so, and past its patience once a minute', async () => {
  const { told } = await runLoop({ play: async () => DONE, idle: { suspendAfter: '2m', finishAfter: '4m' } });
  const waiting = told.flatMap(({ conditions = [] }) => conditions.filter(({ reason }) => reason === 'Message'));
  expect(waiting.map(({ message }) => message)).toEqual([
    'the turn has ended; a message starts the next one',
    'the turn has ended; a message starts the next one (for 2 min)',
    'the turn has ended; a message starts the next one (for 3 min)',
  ]);
});
