/**
 * One conversation with an agent over the Agent Client Protocol: started or loaded, prompted, followed. It dies with
 * the agent's process; the journal and the agent's own transcript bring the next one to where this one was.
 */
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../lib/kube/clock.ts';
import { cut } from '../cut.ts';
import { AgentError, type AgentProcess, startAgent } from './agent-process.ts';
import { bounded } from './bounded.ts';
import type { Permits } from './permits.ts';
import { type Launch, MCP_SERVER } from './presets.ts';
import { followUpdates, type Updates } from './updates.ts';

export interface ConversationOptions {
  launch: Launch;
  cwd: string;
  env: Record<string, string>;
  /** The MCP server that the agent gets. */
  mcp: { command: string; args: string[] };
  /** The conversation to load, if the agent can. */
  load: string | undefined;
  permits: Permits;
  clock: Clock;
  log: (line: string) => void;
  status: (line: string) => void;
  /** Gets all that the agent says, for the transcript. */
  record: (update: acp.SessionUpdate) => void;
}

/** How a turn ended: as the agent said, with the agent's error, or with its death. */
export type TurnEnd =
  | { ended: true; stopReason: string; summary: string; inputTokens?: number; outputTokens?: number }
  | { ended: true; stopReason: 'error'; summary: string; error: string }
  | { ended: false; why: string };

export interface Conversation {
  id: string;
  loaded: boolean;
  /** The last thing that the agent has replayed of its user's words. */
  heard(): string;
  readonly alive: boolean;
  prompt(blocks: readonly string[]): Promise<TurnEnd>;
  /** Tells the agent to stop its turn. */
  cancel(): Promise<void>;
  end(): Promise<void>;
}

/** Starts the agent and a conversation with it. Throws `AgentError` in words for a person. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { launch, cwd, clock, log } = options;
  const env = { ...options.env, ...launch.env };
  const agent = startAgent({ command: launch.command, args: launch.args, cwd, env, clock, log });
  const updates = followUpdates(options);
  const connection = connect(agent, updates, options);
  const ask = <T>(request: Promise<T>, what: string) => bounded(request, { agent, clock, what });
  try {
    const session = await openSession(connection, { ask, options });
    return conversationOf({ agent, connection, updates }, session);
  } catch (error) {
    await agent.end();
    throw error;
  }
}

function connect(
  agent: AgentProcess,
  updates: Updates,
  { permits, record }: Pick<ConversationOptions, 'permits' | 'record'>,
): acp.ClientConnection {
  const input = Readable.toWeb(agent.child.stdout) as ReadableStream<Uint8Array>;
  const stream = acp.ndJsonStream(Writable.toWeb(agent.child.stdin) as WritableStream<Uint8Array>, input);
  const app = acp
    .client({ name: 'tiny' })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      record(params.update);
      updates.take(params.update);
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params, signal }) =>
      permits(params, updates.toolCall(params.toolCall.toolCallId), signal),
    );
  return app.connect(stream);
}

type Ask = <T>(request: Promise<T>, what: string) => Promise<T>;
type OpenSession = { ask: Ask; options: ConversationOptions };

async function openSession({ agent }: acp.ClientConnection, { ask, options }: OpenSession) {
  const { methods } = acp;
  const hello = agent.request(methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'tiny', version: '0.1.0' },
  });
  const { agentCapabilities } = await ask(hello, 'initialize');
  const mcpServers = [{ name: MCP_SERVER, ...options.mcp, env: [] }];
  const place = { cwd: options.cwd, mcpServers };
  if (options.load !== undefined && agentCapabilities?.loadSession) {
    const load = agent.request(methods.agent.session.load, { ...place, sessionId: options.load });
    const loaded = await ask(load, 'session/load').then(() => true, noted(options.log));
    if (loaded) return { id: options.load, loaded };
  }
  const anew: acp.NewSessionRequest = options.launch.meta ? { ...place, _meta: options.launch.meta } : place;
  const { sessionId } = await ask(agent.request(methods.agent.session.new, anew), 'session/new');
  return { id: sessionId, loaded: false };
}

const noted = (log: (line: string) => void) => (error: Error) => {
  if (error instanceof AgentError && error.passes) throw error;
  log(`the earlier conversation can't be loaded, so a new one is begun: ${error.message}`);
  return false;
};

interface Parts {
  agent: AgentProcess;
  connection: acp.ClientConnection;
  updates: Updates;
}

function conversationOf(
  { agent, connection, updates }: Parts,
  { id, loaded }: { id: string; loaded: boolean },
): Conversation {
  const heard = updates.heard();
  return {
    id,
    loaded,
    heard: () => heard,
    get alive() {
      return !connection.signal.aborted;
    },
    async prompt(blocks) {
      updates.reset();
      const request: acp.PromptRequest = { sessionId: id, prompt: blocks.map((text) => ({ type: 'text', text })) };
      try {
        const response = await connection.agent.request(acp.methods.agent.session.prompt, request);
        return { ended: true, stopReason: response.stopReason, summary: updates.summary(), ...usageOf(response) };
      } catch (error) {
        return await failed(error, { agent, updates });
      } finally {
        updates.reset();
      }
    },
    cancel: () => connection.agent.notify(acp.methods.agent.session.cancel, { sessionId: id }).catch(() => {}),
    end: () => agent.end(),
  };
}

async function failed(error: unknown, { agent, updates }: Omit<Parts, 'connection'>): Promise<TurnEnd> {
  if (!(error instanceof acp.RequestError)) {
    await agent.end();
    return { ended: false, why: (await agent.exited).why };
  }
  return {
    ended: true,
    stopReason: 'error',
    summary: updates.summary(),
    error: `the agent failed: ${cut(error.message, 4096)}`,
  };
}

/** Token counts, which agents report beside the stable protocol. */
function usageOf(response: acp.PromptResponse): { inputTokens?: number; outputTokens?: number } {
  const usage = (response as { usage?: Record<string, unknown> }).usage ?? {};
  const count = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  const [inputTokens, outputTokens] = [count(usage['inputTokens']), count(usage['outputTokens'])];
  return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) };
}
