/** The MCP server that the harness handed over, as a rehearsal calls it. Connected at the first call. */
import type { McpServer } from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** A day: a person may take long. Milliseconds. */
const TIMEOUT_MS = 24 * 60 * 60 * 1000;

export interface McpTools {
  /** The words of the result; `refused` where the tool says that it is an error. */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<{ text: string; refused: boolean }>;
}

/** Tools of the first server of `servers` that is a command. */
export function mcpTools(servers: readonly McpServer[], env: Record<string, string>): McpTools {
  let connected: Promise<Client> | undefined;
  const connect = async () => {
    const server = servers.find((one) => 'command' in one);
    if (!server) throw new Error('the rehearsal was handed no MCP server that is started by a command');
    const client = new Client({ name: 'rehearsal', version: '0.1.0' });
    await client.connect(new StdioClientTransport({ command: server.command, args: server.args, env }));
    return client;
  };
  return {
    async call(name, input, signal) {
      connected ??= connect();
      const client = await connected;
      const result = await client.callTool({ name, arguments: input }, undefined, {
        signal,
        timeout: TIMEOUT_MS,
        onprogress: () => {},
      });
      const content = result.content as { type: string; text?: string }[];
      return { text: content.map(({ text = '' }) => text).join('\n'), refused: result.isError === true };
    },
  };
}
