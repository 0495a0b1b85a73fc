import { expect, test } from 'vitest';
import type { StatusPatch } from '../../agent/tools/status-writer.ts';
import { makeWaiting } from '../../agent/tools/waiting.ts';
import type { Question } from '../../lib/api/question.ts';

const MINUTE = 60_000;
const question = { metadata: { name: 'q' }, spec: { text: 'May I?' } } as Question;

function watched(patience: number | undefined) {
  const clock = { now: 0 };
  const told: StatusPatch[] = [];
  const status = { tell: async (patch: StatusPatch) => void told.push(patch) };
  const waiting = makeWaiting({ status, log: () => {}, patience: () => patience, now: () => clock.now });
  const see = (at: number) => {
    clock.now = at;
    waiting.see(question, { state: 'open' });
  };
  const messages = () => told.map(({ conditions }) => conditions?.find(({ type }) => type === 'Waiting')?.message);
  return { see, messages };
}

test('a Question that stays open is told once', () => {
  const { see, messages } = watched(undefined);
  for (const at of [0, MINUTE, 60 * MINUTE]) see(at);
  expect(messages()).toEqual(['Question q: May I?']);
});

test('past its patience a waiting Session stirs once a minute, so that it is put to sleep', () => {
  const { see, messages } = watched(2 * MINUTE);
  for (const at of [0, MINUTE, 2 * MINUTE - 1, 2 * MINUTE, 2.5 * MINUTE, 3 * MINUTE]) see(at);
  expect(messages()).toEqual([
    'Question q: May I?',
    'Question q: May I? (for 2 min)',
    'Question q: May I? (for 3 min)',
  ]);
});
