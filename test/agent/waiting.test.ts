import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { StatusPatch } from '../../agent/tools/status-writer.ts';
import { makeWaiting } from '../../agent/tools/waiting.ts';
import type { Question } from '../../lib/api/question.ts';
import { ApiError } from '../../lib/kube/errors.ts';

const MINUTE = 60_000;
const question = { metadata: { name: 'q' }, spec: { text: 'May I?' } } as Question;

function watched(patience: number | undefined, failures: Error[] = []) {
  let time = 0;
  let passed = () => {};
  const minute = new Promise<void>((resolve) => {
    passed = resolve;
  });
  const sleep = (ms: number) => (ms === MINUTE ? minute : setImmediate());
  const clock = { now: () => time, random: () => 0, sleep };
  const { signal } = new AbortController();
  const told: StatusPatch[] = [];
  const tell = async (patch: StatusPatch) => {
    const failure = failures.shift();
    if (failure) throw failure;
    told.push(patch);
  };
  const status = { tell };
  const waiting = makeWaiting({ status, log: () => {}, patience: () => patience, clock, signal });
  const see = (at: number) => {
    time = at;
    waiting.see(question, { state: 'open' });
  };
  const messages = () => told.map(({ conditions }) => conditions?.find(({ type }) => type === 'Waiting')?.message);
  return { see, messages, drop: () => waiting.drop('q'), abandon: () => waiting.abandon('q'), passed };
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

test('what the API server did not take is told again, until there is something newer to tell', async () => {
  const failures = Array.from({ length: 5 }, () => new ApiError(409, { code: 409 }));
  const { see, messages, drop } = watched(undefined, failures);
  see(0);
  drop();
  while (messages().length === 0) await setImmediate();
  expect(messages()).toEqual(['Question q is no longer open']);
});

test('a Session whose agent is gone waits on, until a minute later nobody has asked again', async () => {
  const { see, messages, abandon, passed } = watched(undefined);
  see(0);
  abandon();
  await setImmediate();
  expect(messages()).toEqual(['Question q: May I?']);
  passed();
  while (messages().length === 1) await setImmediate();
  expect(messages().at(-1)).toBe('Question q is no longer open');
});

test('a Session whose agent asks again within the minute waits on', async () => {
  const { see, messages, abandon, passed } = watched(undefined);
  see(0);
  abandon();
  see(MINUTE / 2);
  passed();
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect(messages()).toEqual(['Question q: May I?']);
});
