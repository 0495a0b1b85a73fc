import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../agent/harness/journal.ts';
import { makePermits } from '../../agent/harness/permits.ts';
import { type ToolsClient, ToolsError } from '../../agent/harness/tools-client.ts';
import { REASON } from '../../agent/reason.ts';
import type { Approvals } from '../../lib/api/approvals.ts';
import type { Question, QuestionSpec } from '../../lib/api/question.ts';
import { systemClock } from '../../lib/kube/clock.ts';

const options = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' } as const,
  { optionId: 'n', name: 'No', kind: 'reject_once' } as const,
];
const no = { outcome: 'selected', optionId: 'n' };

/** Asks for permission to run something with this input. */
function request(
  rawInput: unknown,
  { allow = [] as Approvals['allow'], ask = () => Promise.reject(new Error('asked')) } = {},
) {
  const records: JournalRecord[] = [];
  const journal = { records, append: (record: JournalRecord) => void records.push(record) };
  const tools = { ask } as unknown as ToolsClient;
  const place = { folder: '/workspace/repo', real: (path: string) => path };
  const permits = makePermits({
    session: 's',
    approvals: { allow },
    place,
    journal,
    tools,
    clock: systemClock,
    log: () => {},
  });
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

describe('an answer for always', () => {
  const always = { optionId: 'A', name: 'Always allow npm test:*', kind: 'allow_always' } as const;

  /** A harness as after each start: only the journal is left. Whoever is asked answers `option`. */
  function harness(option: string) {
    const records: JournalRecord[] = [];
    const questions = new Map<string, Question>();
    const tools = {
      ask: async (key: string, spec: QuestionSpec) => {
        const question = { metadata: { name: key }, spec: { ...spec, answer: { option } } } as unknown as Question;
        questions.set(key, question);
        return question;
      },
      question: async (name: string) => questions.get(name),
    } as unknown as ToolsClient;
    const run = (rawInput: object) => {
      const journal = { records, append: (record: JournalRecord) => void records.push(record) };
      const place = { folder: '/workspace/repo', real: (path: string) => path };
      const common = { session: 's', approvals: { allow: [] }, place, journal, tools, clock: systemClock };
      const log: string[] = [];
      const permits = makePermits({ ...common, log: (line) => log.push(line) });
      const toolCall = { toolCallId: '1', title: 't', kind: 'execute', rawInput } as const;
      const asked = { sessionId: 'x', toolCall, options: [...options, always] };
      return permits(asked, undefined, new AbortController().signal).then(({ outcome }) => ({ outcome, log }));
    };
    return { run, asked: () => questions.size };
  }

  it('holds for the same command after a restart, whatever the agent says about it, and for no other', async () => {
    const { run, asked } = harness('allow-always');
    const yes = { outcome: 'selected', optionId: 'y' };
    expect(await run({ command: 'npm test', description: 'Run' })).toEqual({
      outcome: yes,
      log: ['"t" is allowed by somebody'],
    });
    expect(await run({ command: 'npm test', description: 'Again' })).toEqual({
      outcome: yes,
      log: ['"t" is allowed unasked'],
    });
    expect(asked()).toBe(1);
    await run({ command: 'npm test -- x' });
    await run({ command: 'npm test', additionalPermissions: {} });
    expect(asked()).toBe(3);
  });

  it('is not one for once', async () => {
    const { run, asked } = harness('allow');
    await run({ command: 'npm test' });
    await run({ command: 'npm test' });
    expect(asked()).toBe(2);
  });

  it('denies each time, and says so', async () => {
    const { run } = harness('deny');
    expect(await run({ command: 'npm test' })).toEqual({ outcome: no, log: ['"t" is denied by somebody'] });
  });
});
