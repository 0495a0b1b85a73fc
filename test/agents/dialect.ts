/** How each agent's model says the same thing: run a command, write a file, call one of our tools. */
import type { Reply } from './model/talk.ts';

export interface Dialect {
  /** Needs a yes, unless the Session allows it. */
  run: (command: string) => Reply;
  /** In a Session that allows everything. */
  freely: (command: string) => Reply;
  write: (file: string, text: string) => Reply;
  /** One of our MCP server's tools. */
  tiny: (tool: string, input: Record<string, unknown>) => Reply;
  /** What `spec.agent` says of the model. */
  agent: (url: string) => { name: string; model?: string; baseUrl: string };
  env: Record<string, string>;
}

export type Spoken = 'claude-code' | 'codex' | 'gemini' | 'opencode';

const bash = (command: string): Reply => ({ calls: [{ tool: 'Bash', input: { command, description: 'a step' } }] });

const claude: Dialect = {
  run: bash,
  freely: bash,
  write: (file, text) => ({ calls: [{ tool: 'Write', input: { file_path: file, content: text } }] }),
  tiny: (tool, input) => ({ calls: [{ tool: `mcp__tiny__${tool}`, input }] }),
  agent: (url) => ({ name: 'claude-code', baseUrl: url }),
  // By itself it asks ten times for minutes, also with a wrong key.
  env: { ANTHROPIC_API_KEY: 'test-key', CLAUDE_CODE_MAX_RETRIES: '2' },
};

const patch = (file: string, text: string) => {
  const lines = text.trimEnd().split('\n');
  return `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n${lines.map((line) => `+${line}`).join('\n')}\n*** End Patch\nEOF`;
};

const codex: Dialect = {
  run: (command) => ({
    calls: [
      {
        tool: 'exec_command',
        input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'a step' },
      },
    ],
  }),
  // Where nothing needs a yes, Codex refuses to ask for one.
  freely: (command) => ({ calls: [{ tool: 'exec_command', input: { cmd: command } }] }),
  write: (file, text) => ({ calls: [{ tool: 'exec_command', input: { cmd: patch(file, text) } }] }),
  tiny: (tool, input) => ({ calls: [{ tool, namespace: 'mcp__tiny', input }] }),
  agent: (url) => ({ name: 'codex', model: 'fake', baseUrl: `${url}/v1` }),
  env: { OPENAI_API_KEY: 'test-key' },
};

const openShell = (command: string): Reply => ({
  calls: [{ tool: 'bash', input: { command, description: 'a step' } }],
});

const opencode: Dialect = {
  run: openShell,
  freely: openShell,
  write: (file, text) => ({ calls: [{ tool: 'write', input: { filePath: file, content: text } }] }),
  tiny: (tool, input) => ({ calls: [{ tool: `tiny_${tool}`, input }] }),
  agent: (url) => ({ name: 'opencode', model: 'fake', baseUrl: `${url}/v1` }),
  env: { OPENAI_API_KEY: 'test-key' },
};

const geminiShell = (command: string): Reply => ({ calls: [{ tool: 'run_shell_command', input: { command } }] });

const gemini: Dialect = {
  run: geminiShell,
  freely: geminiShell,
  write: (file, text) => ({ calls: [{ tool: 'write_file', input: { file_path: file, content: text } }] }),
  tiny: (tool, input) => ({ calls: [{ tool: `mcp_tiny_${tool}`, input }] }),
  // Without a model it asks another one which to take.
  agent: (url) => ({ name: 'gemini', model: 'gemini-2.5-flash', baseUrl: url }),
  env: { GEMINI_API_KEY: 'test-key' },
};

export const DIALECT: Record<Spoken, Dialect> = { 'claude-code': claude, codex, gemini, opencode };
