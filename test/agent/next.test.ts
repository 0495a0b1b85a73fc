import { describe, expect, it } from 'vitest';
import { type JournalRecord, progressOf } from '../../agent/harness/journal.ts';
import { MAX_RESUMES, next, type Step, type View } from '../../agent/harness/next.ts';

const view = (changes: Partial<View> = {}): View => ({
  now: 10_000,
  hasRepository: true,
  messages: 0,
  read: 0,
  finishAfterMs: 0,
  deadlineAt: undefined,
  ...changes,
});

const cloned: JournalRecord = { type: 'cloned', branch: 'tiny/a', base: 'b' };
const session: JournalRecord = { type: 'session', id: 's' };
const prompt = (turn = 1, from: 'prompt' | number = 'prompt'): JournalRecord => ({ type: 'prompt', turn, from });
const ended = (turn = 1, more: { error?: string } = {}): JournalRecord => ({
  type: 'ended',
  turn,
  at: 9000,
  stopReason: 'end_turn',
  summary: '',
  ...more,
});
const finished: JournalRecord = { type: 'finished', reason: 'Completed', message: '' };
const reopened: JournalRecord = { type: 'reopened' };
const first = [cloned, session, prompt(), ended()];

const cases: [name: string, records: JournalRecord[], view: View, step: Partial<Step>][] = [
  ['nothing done: clones', [], view(), { do: 'clone' }],
  ['no repository: goes to the prompt', [], view({ hasRepository: false }), { do: 'prompt', turn: 1, from: 'prompt' }],
  ['cloned: hands over the prompt', [cloned], view(), { do: 'prompt', turn: 1, from: 'prompt' }],
  ['a session but no prompt: hands it over for the first time', [cloned, session], view(), { do: 'prompt', turn: 1 }],
  ['killed in the turn: resumes it', [cloned, session, prompt()], view(), { do: 'resume', turn: 1, attempt: 1 }],
  ['a message does not push in', [cloned, prompt()], view({ messages: 1 }), { do: 'resume', from: 'prompt' }],
  [
    'killed too often: gives up',
    [cloned, ...Array.from({ length: MAX_RESUMES + 1 }, () => prompt())],
    view(),
    { do: 'finish', reason: 'Failed' },
  ],
  [
    'a clean stop is no kill',
    [cloned, ...Array.from({ length: MAX_RESUMES + 1 }, () => prompt()), { type: 'stopped' }],
    view(),
    { do: 'resume', attempt: 0 },
  ],
  ['the turn ended: finishes', first, view(), { do: 'finish', reason: 'Completed' }],
  ['waits for a message before it finishes', first, view({ finishAfterMs: 5000 }), { do: 'wait', until: 14_000 }],
  ['waits no longer than the deadline', first, view({ finishAfterMs: 5000, deadlineAt: 12_000 }), { until: 12_000 }],
  ['the agent failed: so does the Session', [cloned, prompt(), ended(1, { error: 'x' })], view(), { reason: 'Failed' }],
  ['messages go in order', first, view({ messages: 2 }), { do: 'prompt', turn: 2, from: 0 }],
  ['each once', [...first, prompt(2, 0), ended(2)], view({ messages: 2, read: 0 }), { do: 'prompt', turn: 3, from: 1 }],
  ['what the Session says was read stays read', first, view({ messages: 2, read: 2 }), { do: 'finish' }],
  ['finished: waits', [...first, finished], view(), { do: 'wait' }],
  ['finished and a message came: goes on', [...first, finished], view({ messages: 1 }), { do: 'reopen' }],
  ['goes on with the message', [...first, finished, reopened], view({ messages: 1 }), { do: 'prompt', from: 0 }],
  ['a failed clone and a message: clones again', [finished, reopened], view({ messages: 1 }), { do: 'clone' }],
  [
    'past its deadline: finishes',
    [cloned, prompt()],
    view({ deadlineAt: 10_000 }),
    { do: 'finish', reason: 'Deadline' },
  ],
  [
    'past its deadline and finished: no message wakes it',
    [finished],
    view({ deadlineAt: 1, messages: 1 }),
    { do: 'wait' },
  ],
];

describe('what the harness does next', () => {
  it.each(cases)('%s', (_name, ...[records, seen, step]) => {
    expect(next(progressOf(records), seen)).toMatchObject(step);
  });
});
