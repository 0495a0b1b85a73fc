/** The handshake where an old process still holds the conversation, or where it is lost. */
import type * as acp from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { AgentError } from '../../agent/harness/agent-process.ts';
import { openSession } from '../../agent/harness/open-session.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** Opens a session with an agent that refuses to load so many times. */
async function open(refusals: number) {
  const clock = virtualClock();
  const asked: string[] = [];
  const told: string[] = [];
  const answers: Record<string, () => unknown> = {
    initialize: () => ({ agentCapabilities: { loadSession: true } }),
    'session/load': () => {
      if (asked.filter((method) => method === 'session/load').length <= refusals)
        throw new AgentError({ why: 'the agent refused session/load: no such session', passes: false });
      return {};
    },
    'session/new': () => ({ sessionId: 'new' }),
  };
  const request = async (method: string) => {
    asked.push(method);
    return answers[method]?.();
  };
  const began = clock.now();
  const opened = await openSession({ request } as unknown as acp.ClientContext, {
    ask: (answer) => answer,
    options: {
      launch: { command: 'x', args: [], env: {}, mcpServers: [] },
      cwd: '/workspace/repo',
      load: 'earlier',
      clock,
      log: () => {},
      status: (line) => told.push(line),
    },
  });
  return { opened, told, asked, took: clock.now() - began };
}

describe('an earlier conversation', () => {
  it('that an old process still holds is loaded once that is gone', async () => {
    const { opened, told, asked, took } = await open(2);
    expect(opened).toEqual({ id: 'earlier', loaded: true });
    expect(told).toEqual([]);
    expect(asked).not.toContain('session/new');
    expect(took).toBeGreaterThanOrEqual(3000);
  });

  it('that stays refused is given up in bounded time, and that is told', async () => {
    const { opened, told, asked, took } = await open(99);
    expect(opened).toEqual({ id: 'new', loaded: false });
    expect(told).toEqual([expect.stringContaining('the earlier conversation is lost')]);
    expect(asked.filter((method) => method === 'session/load')).toHaveLength(3);
    expect(took).toBeLessThan(10_000);
  });
});
