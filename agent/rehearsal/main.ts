/**
 * The rehearsal: an agent of the Agent Client Protocol that plays a script and has no model. It stands where Claude
 * Code or Codex would, for tests and for the demo, and says that it is a rehearsal wherever it shows.
 */
import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { systemClock } from '../../lib/kube/clock.ts';
import { rehearsalEnv } from '../env.ts';
import { lockFolder } from '../lock.ts';
import { endCommands } from './commands.ts';
import { mcpTools } from './mcp-tools.ts';
import { answerPrompt } from './player.ts';
import { conversations, conversationsFolder, type State } from './state.ts';
import type { Stage } from './steps.ts';

/** How long a predecessor that was killed may take to be gone. */
const LOCK_WAIT_MS = 10_000;

interface Playing {
  state: State;
  cwd: string;
  tools: Stage['tools'];
  cancel: AbortController;
  /** In this turn. */
  used: { inputTokens: number; outputTokens: number };
}

const env = rehearsalEnv();
const kept = conversations(env.home);
const playing = new Map<string, Playing>();

function open(state: State, { cwd, mcpServers }: { cwd: string; mcpServers: acp.McpServer[] }): void {
  const tools = mcpTools(mcpServers, env.inherited, systemClock);
  playing.set(state.id, {
    state,
    cwd,
    tools,
    cancel: new AbortController(),
    used: { inputTokens: 0, outputTokens: 0 },
  });
}

function find(id: string): Playing {
  const found = playing.get(id);
  if (!found) throw acp.RequestError.invalidParams({ sessionId: id }, 'the rehearsal knows no such session');
  return found;
}

const textOf = (block: acp.ContentBlock): string => (block.type === 'text' ? block.text : `[${block.type}]`);

const chunk = (by: 'user' | 'agent', text: string): acp.SessionUpdate => ({
  sessionUpdate: by === 'user' ? 'user_message_chunk' : 'agent_message_chunk',
  content: { type: 'text', text },
});

const OPTIONS: acp.PermissionOption[] = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Always allow this', kind: 'allow_always' },
  { optionId: 'reject', name: 'Deny', kind: 'reject_once' },
];

function stageOf({ state, cwd, tools, cancel, used }: Playing, client: acp.AgentContext): Stage {
  const sessionId = state.id;
  const update = (one: acp.SessionUpdate) =>
    client.notify(acp.methods.client.session.update, { sessionId, update: one });
  return {
    ...{ cwd, tools, update, env: env.inherited, signal: cancel.signal, clock: systemClock },
    callId: `step-${state.at + 1}-${process.pid}`,
    begun: () => state.begun ?? {},
    keep(begun) {
      state.begun = { ...state.begun, ...begun };
      kept.save(state);
    },
    say(text) {
      state.history.push({ by: 'agent', text });
      return update(chunk('agent', `${text}\n`));
    },
    permission: ({ id, title, command }) =>
      client.request(acp.methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: id, title, kind: 'execute', rawInput: { command } },
        options: OPTIONS,
      }),
    used({ inputTokens = 0, outputTokens = 0 }) {
      used.inputTokens += inputTokens;
      used.outputTokens += outputTokens;
    },
    crash(what) {
      process.kill(what === 'harness' ? process.ppid : process.pid, 'SIGKILL');
      return new Promise(() => {});
    },
  };
}

/** With the usage beside the stable protocol, as agents tell it. */
const ended = ({ used }: Playing, stopReason: acp.StopReason): acp.PromptResponse =>
  used.inputTokens + used.outputTokens > 0 ? Object.assign({ stopReason }, { usage: used }) : { stopReason };

async function prompt({ params, client }: acp.AgentRequestContext<acp.PromptRequest>): Promise<acp.PromptResponse> {
  const one = find(params.sessionId);
  one.cancel = new AbortController();
  one.used = { inputTokens: 0, outputTokens: 0 };
  try {
    const player = { state: one.state, save: () => kept.save(one.state), stage: () => stageOf(one, client) };
    await answerPrompt(player, params.prompt.map(textOf));
    return ended(one, 'end_turn');
  } catch (error) {
    if (one.cancel.signal.aborted) return ended(one, 'cancelled');
    throw acp.RequestError.internalError({ reason: (error as Error).message }, (error as Error).message);
  }
}

async function load({
  params,
  client,
}: acp.AgentRequestContext<acp.LoadSessionRequest>): Promise<acp.LoadSessionResponse> {
  const state = kept.load(params.sessionId);
  if (!state) throw acp.RequestError.resourceNotFound(params.sessionId);
  open(state, params);
  for (const { by, text } of state.history) {
    await client.notify(acp.methods.client.session.update, { sessionId: state.id, update: chunk(by, text) });
  }
  return {};
}

lockFolder(conversationsFolder(env.home), LOCK_WAIT_MS);
process.once('exit', endCommands);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));

const connection = acp
  .agent({ name: 'rehearsal' })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: { loadSession: !process.argv.includes('--no-load') },
    agentInfo: { name: 'rehearsal', title: 'Rehearsal (no model)', version: '0.1.0' },
  }))
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    const state = kept.create(randomUUID());
    open(state, params);
    return { sessionId: state.id };
  })
  .onRequest(acp.methods.agent.session.load, load)
  .onRequest(acp.methods.agent.session.prompt, prompt)
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => find(params.sessionId).cancel.abort())
  .connect(
    acp.ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
void connection.closed.then(() => process.exit(0));
