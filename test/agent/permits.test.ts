import { expect, it } from 'vitest';
import type { JournalRecord } from '../../agent/harness/journal.ts';
import { makePermits } from '../../agent/harness/permits.ts';
import { type ToolsClient, ToolsError } from '../../agent/harness/tools-client.ts';
import { REASON } from '../../agent/reason.ts';
import { systemClock } from '../../lib/kube/clock.ts';

const options = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' } as const,
  { optionId: 'n', name: 'No', kind: 'reject_once' } as const,
];
const no = { outcome: 'selected', optionId: 'n' };

/** Asks for permission to run something with this input. */
function request(rawInput: string, { allow = [] as string[], ask = () => Promise.reject(new Error('asked')) } = {}) {
  const records: JournalRecord[] = [];
  const journal = { records, append: (record: JournalRecord) => void records.push(record) };
  const tools = { ask } as unknown as ToolsClient;
  const permits = makePermits({ session: 's', allow, journal, tools, clock: systemClock, log: () => {} });
  const toolCall = { toolCallId: '1', title: 't', kind: 'execute', rawInput } as const;
  return permits({ sessionId: 'x', toolCall, options }, undefined, new AbortController().signal);
}

it('denies what no person can be shown whole, with the reason, and asks nobody', async () => {
  const answer = await request('x'.repeat(70_000));
  expect(answer).toMatchObject({ outcome: no, _meta: { [REASON]: expect.stringContaining('smaller steps') } });
});

it('allows it where the Session allows its kind unseen', async () => {
  const answer = await request('x'.repeat(70_000), { allow: ['execute'] });
  expect(answer).toEqual({ outcome: { outcome: 'selected', optionId: 'y' } });
});

it('denies what may not be asked, with the reason', async () => {
  const answer = await request('x', { ask: () => Promise.reject(new ToolsError(403, 'too many Questions')) });
  expect(answer).toMatchObject({ outcome: no, _meta: { [REASON]: expect.stringContaining('too many Questions') } });
});
