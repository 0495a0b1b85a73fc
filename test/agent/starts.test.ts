import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AgentError, startAgent } from '../../agent/harness/agent-process.ts';
import type { HarnessOptions } from '../../agent/harness/context.ts';
import type { Conversation } from '../../agent/harness/conversation.ts';
import { openConversation } from '../../agent/harness/conversation.ts';
import { runHarness } from '../../agent/harness/harness.ts';
import { type JournalRecord, progressOf } from '../../agent/harness/journal.ts';
import { makeMeter } from '../../agent/harness/meter.ts';
import { MAX_STARTS } from '../../agent/harness/next.ts';
import { makePulse } from '../../agent/harness/pulse.ts';
import type { StatusPatch } from '../../agent/harness/tools-client.ts';
import { systemClock } from '../../lib/kube/clock.ts';

const conversation = {
  id: 'one',
  loaded: false,
  heard: () => '',
  alive: true,
  prompt: async () => ({ ended: true, stopReason: 'end_turn', summary: 'done' }),
  cancel: async () => {},
  end: async () => {},
} as unknown as Conversation;

/** Time goes by at once, but for what waits until it is over. */
async function pass(ms: number, { signal, sleeps }: { signal: AbortSignal; sleeps: number[] }): Promise<void> {
  if (ms > 1e6) await once(signal, 'abort').then(() => signal.throwIfAborted());
  sleeps.push(ms);
}

/** Runs the loop with an agent that starts as `converse` says, until it has finished. */
async function harness(converse: HarnessOptions['converse'], records: JournalRecord[] = []) {
  const stop = new AbortController();
  const sleeps: number[] = [];
  const told: StatusPatch[] = [];
  const tell = (patch: StatusPatch) => {
    told.push(patch);
    if (patch.conditions?.some(({ type }) => type === 'Finished')) stop.abort(new Error('stopped'));
  };
  await runHarness({
    config: { agent: { name: 'x' }, approvals: { allow: [] }, idle: { finishAfter: '0s', stalledAfter: '0s' } },
    pulse: makePulse(() => 0),
    meter: makeMeter(),
    task: 'do it',
    journal: { records, append: (record: JournalRecord) => records.push(record) },
    tools: { session: async () => ({ spec: {} }) },
    reporter: { note: () => {}, tell, flush: async () => {} },
    clock: { now: () => 0, random: () => 0, sleep: (ms: number, signal: AbortSignal) => pass(ms, { signal, sleeps }) },
    stop: stop.signal,
    log: () => {},
    clone: async () => ({ passes: false, message: '' }),
    result: async () => ({}),
    converse,
  } as unknown as HarnessOptions);
  return { sleeps, records, end: progressOf(records).finished };
}

const killed = () => Promise.reject(new AgentError({ why: 'ended with SIGKILL', passes: true }));

describe('an agent that does not start', () => {
  it('is started again with back-off when that may pass', async () => {
    let left = 3;
    const { sleeps, end } = await harness(() => {
      left -= 1;
      return left < 0 ? Promise.resolve(conversation) : killed();
    });
    expect(end).toMatchObject({ reason: 'Completed' });
    expect(sleeps).toEqual([500, 1000, 2000]);
  });

  it('fails the Session with the reason after some tries, kills of the harness counted in', async () => {
    const before: JournalRecord[] = [
      { type: 'session', id: 'old' },
      { type: 'prompt', turn: 1, from: 'prompt' },
      { type: 'unstarted', why: 'x' },
      { type: 'unstarted', why: 'x' },
    ];
    const loads: (string | undefined)[] = [];
    const { end, records } = await harness((load) => {
      loads.push(load);
      return killed();
    }, before);
    expect(end).toMatchObject({ reason: 'Failed', message: expect.stringContaining('ended with SIGKILL') });
    expect(records.filter(({ type }) => type === 'unstarted')).toHaveLength(MAX_STARTS);
    expect(loads).toEqual(['old', 'old', 'old', undefined]);
  });

  it('fails the Session at once when that stays', async () => {
    const { end, sleeps } = await harness(() => Promise.reject(new AgentError({ why: 'no key', passes: false })));
    expect(end).toEqual({ reason: 'Failed', message: 'no key' });
    expect(sleeps).toEqual([]);
  });
});

describe('how an agent ended while it started', () => {
  const open = (command: string, args: string[]) =>
    openConversation({
      launch: { command, args, env: {}, mcpServers: [] },
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '' },
      load: undefined,
      permits: async () => ({ outcome: { outcome: 'cancelled' } }),
      clock: systemClock,
      log: () => {},
      status: () => {},
      started: () => {},
      record: () => {},
    });

  it.each([
    ['a kill passes', 'sh', ['-c', 'kill -9 $$'], true],
    ['a kill of what a shell started passes', 'sh', ['-c', 'exit 137'], true],
    ['an exit stays', 'sh', ['-c', 'echo no key >&2; exit 1'], false],
    ['a command that is not there stays', 'no-such-agent', [], false],
  ])('%s', async (_name, ...[command, args, passes]) => {
    await expect(open(command, args)).rejects.toMatchObject({ name: 'AgentError', passes });
  });

  it('an end that we asked for stays', async () => {
    const options = { command: 'sleep', args: ['60'], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };
    const agent = startAgent({ ...options, clock: systemClock, log: () => {} });
    await agent.end();
    expect(await agent.exited).toMatchObject({ passes: false, why: expect.stringContaining('SIGTERM') });
  });
});
