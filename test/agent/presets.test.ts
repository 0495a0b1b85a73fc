import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { distrust } from '../../agent/harness/edges.ts';
import { launchOf, PRESET } from '../../agent/harness/presets.ts';
import { PRESETS, toolKind } from '../../lib/api/session-parts.ts';

const mcp = { name: 'tiny', command: '/bin/node', args: ['/opt/tiny/connect.cjs', '/run/tiny/mcp.sock'] };
const around = {
  places: { node: '/bin/node', programs: '/opt/tiny', home: '/home/agent', clone: '/workspace/repo' },
  mcp,
};
const asking = { allow: ['read' as const] };
const free = { allow: toolKind.options };
const launch = (agent: Parameters<typeof launchOf>[0]['agent'], approvals = asking as typeof free) => {
  const made = launchOf({ agent, approvals }, around);
  if ('refused' in made) throw new Error(made.refused);
  return made;
};
const json = (text: string | undefined) => JSON.parse(text ?? '') as Record<string, unknown>;

describe('how an agent is started', () => {
  it('each name of the schema is a preset, and each preset a name', () => {
    expect(Object.keys(PRESET)).toEqual(PRESETS);
  });

  it.each([
    [
      { name: 'claude-code', model: 'm', baseUrl: 'http://gateway:4000' },
      { command: 'claude-agent-acp', env: { ANTHROPIC_MODEL: 'm', ANTHROPIC_BASE_URL: 'http://gateway:4000' } },
    ],
    [{ name: 'claude-code' }, { mode: 'default', mcpServers: [mcp] }],
    [{ name: 'claude-code', mode: 'plan' }, { mode: 'plan' }],
    [
      { name: 'codex', args: ['-v'] },
      { command: 'codex-acp', args: ['-v'], mode: 'read-only', mcpServers: [] },
    ],
    [
      { name: 'gemini', model: 'm' },
      { command: 'gemini', args: ['--acp', '--model', 'm'] },
    ],
    [
      { name: 'opencode', args: ['-x'] },
      { command: 'opencode', args: ['acp', '-x'] },
    ],
    [
      { name: 'rehearsal', args: ['--no-load'] },
      { command: '/bin/node', args: ['/opt/tiny/rehearsal.cjs', '--no-load'] },
    ],
    [
      { name: 'mine', command: ['my-agent', 'acp'], args: ['$(x)'], mode: 'careful' },
      { command: 'my-agent', args: ['acp', '$(x)'], mode: 'careful', mcpServers: [mcp] },
    ],
    [
      { name: 'codex', command: ['/opt/codex'] },
      { command: '/opt/codex', mode: 'read-only' },
    ],
  ])('%j', (agent, expected) => {
    expect(launch(agent)).toMatchObject(expected);
  });

  it('trusts no repository: loads none of its settings, or is not started where it would', () => {
    const options = { settingSources: ['user'], strictMcpConfig: true };
    expect(launch({ name: 'claude-code' }).meta).toMatchObject({ claudeCode: { options } });
    expect(launch({ name: 'codex' }).folder).toBe('/workspace/repo/.');
    expect(launch({ name: 'gemini' }).env).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: 'false' });
    const clone = mkdtempSync(join(tmpdir(), 'clone-'));
    onTestFinished(() => rmSync(clone, { recursive: true }));
    expect(distrust(launch({ name: 'opencode' }), clone)).toBeUndefined();
    writeFileSync(join(clone, 'opencode.json'), '{}');
    expect(distrust(launch({ name: 'opencode' }), clone)).toMatch(
      /^the repository holds opencode\.json, and .* not started/,
    );
    expect(distrust(launch({ name: 'opencode' }, free), clone)).toBeUndefined();
    expect(distrust(launch({ name: 'codex' }), clone)).toBeUndefined();
  });

  it('tells Codex model, provider and the tools in its settings; a call waits a day for a person', () => {
    const { env } = launch({ name: 'codex', model: 'm"x', baseUrl: 'http://vllm:8000/v1' });
    expect(env['MODEL_PROVIDER']).toBe('gateway');
    expect(json(env['CODEX_CONFIG'])).toMatchObject({
      model: 'm"x',
      model_providers: {
        gateway: { base_url: 'http://vllm:8000/v1', env_key: 'OPENAI_API_KEY', wire_api: 'responses' },
      },
      mcp_servers: { tiny: { args: mcp.args, tool_timeout_sec: 86_400, default_tools_approval_mode: 'approve' } },
    });
    expect(launch({ name: 'codex' }).env).not.toHaveProperty('MODEL_PROVIDER');
  });

  it('tells OpenCode an OpenAI-compatible server', () => {
    const { env } = launch({ name: 'opencode', model: 'qwen', baseUrl: 'http://ollama:11434/v1' });
    expect(json(env['OPENCODE_CONFIG_CONTENT'])).toMatchObject({
      model: 'gateway/qwen',
      permission: { bash: 'ask', edit: 'ask' },
      provider: { gateway: { options: { baseURL: 'http://ollama:11434/v1' }, models: { qwen: {} } } },
    });
  });

  it('lets an agent that may do everything ask nothing, where it has such a mode', () => {
    expect(launch({ name: 'codex' }, free).mode).toBe('agent-full-access');
    expect(launch({ name: 'claude-code' }, free).mode).toBe('default');
  });

  it.each([
    [{ name: 'constructor' }, 'agent.command'],
    [{ name: 'mine', command: ['x'], model: 'm' }, 'agent.args'],
    [{ name: 'mine', command: ['x'], baseUrl: 'http://x' }, 'agent.env'],
  ])('says what to do about %j', (agent, words) => {
    expect(launchOf({ agent, approvals: asking }, around)).toEqual({ refused: expect.stringContaining(words) });
  });
});
