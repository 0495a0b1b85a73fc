import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeAsking } from '../../agent/tools/asking.ts';
import { ownSession } from '../../agent/tools/own-session.ts';
import { makeQuestions } from '../../agent/tools/questions.ts';
import type { StatusPatch } from '../../agent/tools/status-writer.ts';
import { ask } from '../../agent/tools/tool-ask.ts';
import { makeWaiting } from '../../agent/tools/waiting.ts';
import { ApiError, ConnectionError } from '../../lib/kube/errors.ts';
import { type PretendedApi, pretendApi, SESSION_UID } from './pretended-api.ts';

const MINUTE = 60_000;
let folder: string;
let api: PretendedApi;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asking-'));
  api = pretendApi('s', { prompt: 'x', agent: { name: 'rehearsal' } });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The tool `ask` over a pretended API server, on a clock that only its own waiting moves. */
function asker({ failures = [], answerAt = 0 }: { failures?: Error[]; answerAt?: number }) {
  let time = 0;
  const { signal } = new AbortController();
  const told: { at: number; message: string | undefined }[] = [];
  const sleep = async (ms: number) => {
    time += ms;
    const [open] = api.questions();
    if (open && time >= answerAt) api.answer(open.metadata.name, { text: 'yes' });
  };
  const clock = { now: () => time, random: () => 0, sleep };
  const create: typeof api.client.create = (...args) => {
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : api.client.create(...args);
  };
  const client = { ...api.client, create };
  const identity = { namespace: 'p', session: 's', sessionUid: SESSION_UID, run: '', state: '' };
  const now = () => new Date(time);
  const questions = makeQuestions({ client, identity, session: ownSession(client, identity), now });
  const tell = async ({ conditions = [] }: StatusPatch) => {
    told.push({ at: time, message: conditions.find(({ type }) => type === 'Waiting')?.message });
  };
  const waiting = makeWaiting({ status: { tell }, log: () => {}, patience: () => 2 * MINUTE, clock, signal });
  const asking = makeAsking({ questions, waiting, folder, clock });
  return { told, ask: () => ask(asking, { text: 'May I?' }, { session: 's', now, signal, progress: () => {} }) };
}

it("a failure that passes is not the agent's to hear of", async () => {
  const failures = [
    new ApiError(500, { code: 500 }),
    new ApiError(401, { code: 401 }),
    new ApiError(429, { code: 429 }),
    new ConnectionError('connect ECONNREFUSED'),
  ];
  expect(await asker({ failures }).ask()).toBe('yes');
  expect(api.questions()).toHaveLength(1);
});

it('a refusal that stays is told', async () => {
  const failures = [new ApiError(403, { code: 403, message: 'quota' })];
  await expect(asker({ failures }).ask()).rejects.toThrow('quota');
});

it('stirs once in every minute past the patience, at the pace at which Questions are looked at', async () => {
  const { told, ask } = asker({ answerAt: 60 * MINUTE });
  await ask();
  const stirs = told.filter(({ message }) => message?.includes('(for'));
  expect(stirs.map(({ at }) => Math.floor(at / MINUTE))).toEqual(Array.from({ length: 58 }, (_, at) => at + 2));
  expect(told.at(-1)?.message).toContain('no longer open');
});
