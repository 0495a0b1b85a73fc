import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { makeMeter } from '../../agent/harness/meter.ts';
import { planIn } from '../../agent/harness/plan-progress.ts';
import { faultOf } from '../../agent/harness/turn-end.ts';
import { runLoop } from './loop.ts';

describe('a turn that an agent ends by itself', () => {
  const end = (stopReason: string) => faultOf({ ended: true, stopReason, summary: 'I did it' }, false).error;

  it.each([
    ['cancelled', 'broke off its turn by itself, as agents do when they are denied'],
    ['refusal', 'refused to go on'],
    ['max_tokens', 'limit of its model'],
    ['max_turn_requests', 'own limit of requests'],
  ])('as %s is no success', (stopReason, words) => {
    expect(end(stopReason)).toContain(words);
  });

  it('in good order is one', () => {
    expect(end('end_turn')).toBeUndefined();
  });

  it('in good order, beside which it says that it failed, is none, and what it used counts', async () => {
    const used = { inputTokens: 7, outputTokens: 2 };
    const broken = { ended: true as const, stopReason: 'end_turn', isBroken: true, ...used };
    expect(faultOf({ ...broken, summary: '' }, false).error).toContain('its system failed, and no more');
    const { end: finish, records } = await runLoop({ play: async () => ({ ...broken, summary: 'stream: 401' }) });
    expect(finish).toMatchObject({
      reason: 'Failed',
      message: expect.stringMatching(/stream: 401; the key is missing/),
    });
    expect(records.find(({ type }) => type === 'ended')).toMatchObject({ ...used, error: expect.anything() });
    expect(records.find(({ type }) => type === 'ended')).not.toHaveProperty('isBroken');
  });

  it('without a word counts as one where it was begun before a kill: what it has done is not known', () => {
    const silent = { ended: true as const, stopReason: 'end_turn', summary: '' };
    expect(faultOf(silent, true).error).toContain('without having said or done anything');
    expect(faultOf(silent, false).error).toBeUndefined();
  });
});

describe('a plan', () => {
  const entry = (content: string, status: 'pending' | 'in_progress' | 'completed') =>
    ({ content, status, priority: 'medium' }) as const;

  it('is told by what is done and what goes on', () => {
    const entries = [entry('a', 'completed'), entry('b', 'in_progress'), entry('c', 'pending')];
    expect(planIn({ sessionUpdate: 'plan', entries })).toEqual({ done: 1, total: 3, current: 'b' });
    expect(planIn({ sessionUpdate: 'plan', entries: [] })).toEqual({ done: 0, total: 0 });
    expect(planIn({ sessionUpdate: 'plan', entries: [entry(' ', 'in_progress')] })).toEqual({ done: 0, total: 1 });
    expect(planIn({ sessionUpdate: 'usage_update', used: 1, size: 1 })).toBeUndefined();
  });

  it('has its step cut where the status could not hold it', () => {
    const entries = [entry(`${'x'.repeat(1023)}\u{1f600}`, 'in_progress')];
    expect(planIn({ sessionUpdate: 'plan', entries })?.current).toBe('x'.repeat(1023));
  });
});

describe('the meter', () => {
  const costs = (amount: number, currency = 'USD') =>
    ({ sessionUpdate: 'usage_update', used: 1, size: 1, cost: { amount, currency } }) as SessionUpdate;

  it('reads each cost once, and lets wait for one', async () => {
    const meter = makeMeter();
    const over = new AbortController();
    const waits = meter.until(({ amount }) => Number(amount) >= 2, over.signal);
    for (const amount of [1, 1.5, 2]) meter.take(costs(amount));
    expect(await waits).toBe('budget');
    expect(meter.read()).toEqual({ amount: '2', currency: 'USD' });
    expect(meter.read()).toBeUndefined();
    meter.take(costs(-1));
    expect(meter.read()).toBeUndefined();
  });

  it('asks nobody any more who has gone', () => {
    const meter = makeMeter();
    const over = new AbortController();
    let asked = 0;
    void meter.until(() => {
      asked += 1;
      return false;
    }, over.signal);
    meter.take(costs(1));
    over.abort();
    meter.take(costs(2));
    expect(asked).toBe(1);
  });
});
