/** The MCP server that the harness handed over, as a rehearsal calls it. Connected at the first call. */
import type { McpServer } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Clock } from '../../lib/kube/clock.ts';

/** A day: a person may take long. Milliseconds. */
const TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** The tools may have been killed; asking again is asking once. */
const TRIES = 20;
const AGAIN_MS = 250;

export interface McpTools {
  /** The words of the result; `refused` where the tool says that it is an error. */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<{ text: string; refused: boolean }>;
}

/** Tools of the first server of `servers` that is a command. */
export function mcpTools(servers: readonly McpServer[], env: Record<string, string>, clock: Clock): McpTools {
  let connected: Promise<Client> | undefined;
  const connect = async () => {
    const server = servers.find((one) => 'command' in one);
    if (!server) throw new Error('the rehearsal was handed no MCP server that is started by a command');
    const client = new Client({ name: 'rehearsal', version: '0.1.0' });
    await client.connect(new StdioClientTransport({ command: server.command, args: server.args, env }));
    return client;
  };
  const callOnce = async (name: string, input: Record<string, unknown>, signal: AbortSignal) => {
    connected ??= connect();
    const client = await connected;
    return client.callTool({ name, arguments: input }, undefined, {
      signal,
      timeout: TIMEOUT_MS,
      onprogress: () => {},
    });
  };
  const call: McpTools['call'] = async (name, input, signal) => {
    const result = await callOnce(name, input, signal);
    const content = result.content as { type: string; text?: string }[];
    return { text: content.map(({ text = '' }) => text).join('\n'), refused: result.isError === true };
  };
  const callAgain = async (left: number, ...args: Parameters<McpTools['call']>): ReturnType<McpTools['call']> => {
    try {
      return await call(...args);
    } catch (error) {
      const [, , signal] = args;
      if (signal.aborted || left === 0) throw error;
      connected = undefined;
      await clock.sleep(AGAIN_MS, signal);
      return callAgain(left - 1, ...args);
    }
  };
  return { call: (...args) => callAgain(TRIES, ...args) };
}
