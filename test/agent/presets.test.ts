import { describe, expect, it } from 'vitest';
import { launchOf } from '../../agent/harness/presets.ts';
import { PRESETS } from '../../lib/api/session-parts.ts';

const places = { node: '/bin/node', programs: '/opt/tiny' };

describe('how an agent is started', () => {
  it.each(PRESETS)('%s has a preset', (name) => {
    expect(launchOf({ name }, places)).toHaveProperty('command');
  });

  it.each([
    [
      { name: 'claude-code', model: 'm' },
      { command: 'claude-agent-acp', env: { ANTHROPIC_MODEL: 'm' } },
    ],
    [
      { name: 'codex', model: 'm"x', args: ['-v'] },
      { command: 'codex-acp', args: ['-c', 'model="m\\"x"', '-v'] },
    ],
    [
      { name: 'rehearsal', args: ['--no-load'] },
      { command: '/bin/node', args: ['/opt/tiny/rehearsal.cjs', '--no-load'] },
    ],
    [
      { name: 'mine', command: ['my-agent', 'acp'], args: ['$(x)'] },
      { command: 'my-agent', args: ['acp', '$(x)'] },
    ],
    [
      { name: 'codex', command: ['/opt/codex'], model: 'm' },
      { command: '/opt/codex', args: ['-c', 'model="m"'] },
    ],
  ])('%j', (agent, launch) => {
    expect(launchOf(agent, places)).toMatchObject(launch);
  });

  it('says what to do about an agent that nobody knows', () => {
    expect(launchOf({ name: 'constructor' }, places)).toEqual({ refused: expect.stringContaining('agent.command') });
  });
});
