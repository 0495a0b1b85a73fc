import { describe, expect, it } from 'vitest';
import type { Journal, JournalRecord } from '../../../agent/harness/journal.ts';
import { observe } from '../../../agent/transcript/observe.ts';
import type { Transcript } from '../../../agent/transcript/transcript.ts';
import type { Draft } from '../../../lib/api/transcript.ts';

function observed(messages: { id: string; text: string }[] = []) {
  const told: Draft[] = [];
  const records: JournalRecord[] = [];
  const transcript = {
    tell: (draft: Draft) => void told.push(draft),
    note: (text: string) => void told.push({ type: 'note', text }),
    usage: () => ({ used: 5, size: 10 }),
  } as unknown as Transcript;
  const journal: Journal = { records, append: (record) => void records.push(record) };
  const question = (key: string) => ({
    metadata: { name: `q-${key.at(-3)}`, uid: 'u' },
    spec: { kind: 'Permit', text: 'May I?', options: [{ id: 'allow', text: 'Yes', effect: 'Allow' }] },
  });
  const tools = { session: async () => ({ spec: { messages } }), ask: async (key: string) => question(key) };
  return { told, ...observe({ journal, tools: tools as never }, transcript, 'Fix it') };
}

describe('the transcript is filled from', () => {
  it('the turns in the journal, with the words of the prompt or the message', async () => {
    const { told, journal, tools } = observed([{ id: 'm', text: 'and the docs' }]);
    journal.append({ type: 'prompt', turn: 1, from: 'prompt' });
    journal.append({ type: 'prompt', turn: 1, from: 'prompt' });
    journal.append({ type: 'ended', turn: 1, at: 0, stopReason: 'end_turn', summary: '', inputTokens: 3 });
    await tools.session();
    journal.append({ type: 'prompt', turn: 2, from: 0 });
    journal.append({ type: 'finished', reason: 'Completed', message: 'done' });
    expect(told).toEqual([
      { type: 'prompt', turn: 1, from: 'prompt', text: { text: 'Fix it', characters: 6 } },
      { type: 'prompt', turn: 1, from: 'prompt', text: { text: 'Fix it', characters: 6 }, resumed: true },
      { type: 'ended', turn: 1, stop: 'end_turn', usage: { inputTokens: 3, used: 5, size: 10 } },
      { type: 'prompt', turn: 2, from: 0, text: { text: 'and the docs', characters: 12 } },
      { type: 'finished', reason: 'Completed', message: 'done' },
    ]);
  });

  it('a turn that goes on after a sleep, told as one that was begun before', async () => {
    const { told, journal } = observed();
    journal.append({ type: 'prompt', turn: 1, from: 'prompt' });
    journal.append({ type: 'stopped' });
    journal.append({ type: 'prompt', turn: 1, from: 'prompt' });
    journal.append({ type: 'paused', turn: 1 });
    journal.append({ type: 'prompt', turn: 1, from: 'prompt' });
    const prompts = told.filter(({ type }) => type === 'prompt');
    expect(prompts.map((one) => 'resumed' in one)).toEqual([false, true, true]);
  });

  it('what is asked, once, and each answer to its own Question', async () => {
    const { told, journal, tools } = observed();
    await tools.ask('permit\na\n0', {} as never);
    await tools.ask('permit\nb\n0', {} as never);
    await tools.ask('permit\na\n0', {} as never);
    journal.append({ type: 'decided', content: 'a', allowed: true, always: false });
    journal.append({ type: 'decided', content: 'c', allowed: false, always: true });
    expect(told.map((one) => ('question' in one ? [one.type, one.question] : [one.type]))).toEqual([
      ['asked', 'q-a'],
      ['asked', 'q-b'],
      ['decided', 'q-a'],
      ['decided'],
    ]);
  });
});
