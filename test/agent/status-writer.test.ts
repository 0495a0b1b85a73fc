import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownSession } from '../../agent/tools/own-session.ts';
import { harnessPatch, makeStatusWriter, mergeStatus, type StatusPatch } from '../../agent/tools/status-writer.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { type PretendedApi, pretendApi, SESSION_UID } from './pretended-api.ts';

let folder: string;
let file: string;
let api: PretendedApi;
let refusal: ApiError | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'status-'));
  file = join(folder, 'status.json');
  api = pretendApi('s', { prompt: 'x', agent: { name: 'rehearsal' } });
  refusal = undefined;
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A writer as after a start of the tools. */
function writer() {
  const applyStatus: typeof api.client.applyStatus = (...args) =>
    refusal ? Promise.reject(refusal) : api.client.applyStatus(...args);
  const client = { ...api.client, applyStatus };
  const identity = { namespace: 'p', session: 's', sessionUid: SESSION_UID, run: folder, state: folder };
  return makeStatusWriter({ client, session: ownSession(client, identity), file, now: () => new Date(0) });
}

const ready: StatusPatch = { conditions: [{ type: 'Ready', status: 'True', reason: 'Working', message: '' }] };
const finished: StatusPatch = { conditions: [{ type: 'Finished', status: 'True', reason: 'Completed', message: '' }] };

it('a report that is refused is answered as refused and forgotten, also by the file', async () => {
  const first = writer();
  await first.tell(ready);
  refusal = new ApiError(422, { code: 422, message: 'too long' });
  await expect(first.tell({ message: 'bad' })).rejects.toMatchObject({ code: 422 });
  expect(readFileSync(file, 'utf8')).not.toContain('bad');
  refusal = undefined;
  await first.tell(finished);
  expect(api.session().status).not.toHaveProperty('message');
  await writer().tell({ message: 'good' });
  expect(api.session().status).toMatchObject({ message: 'good' });
  expect(api.session().status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Finished']);
});

it('a report without an answer goes out when it is told again', async () => {
  const one = writer();
  refusal = new ApiError(503, { code: 503 });
  await expect(one.tell(finished)).rejects.toMatchObject({ code: 503 });
  refusal = undefined;
  await one.tell(finished);
  expect(api.session().status?.conditions).toMatchObject([{ type: 'Finished' }]);
});

it('only conditions of the agent are told', () => {
  const stranger = { conditions: [{ type: 'Materialised', status: 'True', reason: 'X', message: '' }] };
  expect(harnessPatch.safeParse(stranger).success).toBe(false);
  expect(harnessPatch.safeParse(ready).success).toBe(true);
});

it('no condition is about a generation of the spec, which may be behind', async () => {
  const condition = { status: 'True', reason: 'X', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  writeFileSync(file, JSON.stringify({ conditions: [{ ...condition, type: 'Finished', observedGeneration: 1 }] }));
  await writer().tell(ready);
  const { conditions = [] } = api.session().status ?? {};
  expect(conditions.map(({ type }) => type)).toEqual(['Finished', 'Ready']);
  for (const one of conditions) expect(one).not.toHaveProperty('observedGeneration');
});

it('a memory that was spoilt is made anew from the Session', async () => {
  await writer().tell({ ...finished, messagesRead: 2 });
  writeFileSync(file, JSON.stringify({ conditions: [{ type: 'Odd', status: 'True' }] }));
  await writer().tell(ready);
  expect(api.session().status).toMatchObject({ messagesRead: 2 });
  expect(api.session().status?.conditions?.map(({ type }) => type)).toEqual(['Finished', 'Ready']);
});

it('what was pushed stays when the harness tells the work anew, and is not for the harness to tell', () => {
  const now = new Date(0);
  const pushed = { branch: 'tiny/s', commit: 'abc' };
  const work = mergeStatus({}, { result: { summary: 'one', commit: 'abc' } }, now);
  const both = mergeStatus(work, { result: { pushed } }, now);
  expect(both.result).toEqual({ summary: 'one', commit: 'abc', pushed });
  expect(mergeStatus(both, { result: { summary: 'two' } }, now).result).toEqual({ summary: 'two', pushed });
  expect(harnessPatch.parse({ result: { summary: 's', pushed, pullRequest: 'https://evil' } }).result).toEqual({
    summary: 's',
  });
});
