/**
 * The MCP server that the agent uses: one server a connection, newline-delimited JSON-RPC over the socket. It works
 * with every agent that takes an MCP server on standard streams, through `connect`.
 */
import type { Socket } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../lib/kube/clock.ts';
import type { Client } from '../../lib/kube/types.ts';
import type { Identity } from '../env.ts';
import { persistently } from '../polling.ts';
import type { Asking } from './asking.ts';
import type { OwnSession } from './own-session.ts';
import { passes } from './passing.ts';
import type { StatusWriter } from './status-writer.ts';
import type { ToolContext } from './tool.ts';
import { apply, applyInput } from './tool-apply.ts';
import { ask, askInput } from './tool-ask.ts';
import { openPullRequest, type Pushing, pullRequestInput, push } from './tool-push.ts';
import { listSessions, setStatus, setStatusInput } from './tool-sessions.ts';
import { spawn, spawnInput } from './tool-spawn.ts';

export interface ToolBox {
  identity: Identity;
  client: Client;
  session: OwnSession;
  status: StatusWriter;
  asking: Asking;
  clock: Clock;
  pushing: Pick<Pushing, 'push' | 'forge'> | undefined;
  redact: Pushing['redact'];
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const INSTRUCTIONS =
  'You work in a Session of tiny, in a pod of a Kubernetes cluster. People watch and answer from elsewhere: ask them with `ask`, say what you are doing with `set_status`, propose further Sessions with `spawn` and Kubernetes objects with `apply`. Answers may take minutes or hours.';

/** Serves one agent until its connection ends. */
export async function serveMcp(socket: Socket, box: ToolBox): Promise<void> {
  const gone = new AbortController();
  const server = new McpServer({ name: 'tiny', version: '0.1.0' }, { instructions: INSTRUCTIONS });
  addAsking(server, box, gone.signal);
  addProposing(server, box, gone.signal);
  addTelling(server, box);
  if (box.pushing) addPushing(server, box, { pushing: { ...box, ...box.pushing }, gone: gone.signal });
  socket.once('close', () => {
    gone.abort(new Error('the agent is gone'));
    void server.close();
  });
  await server.connect(new StdioServerTransport(socket, socket));
}

function addAsking(server: McpServer, box: ToolBox, gone: AbortSignal): void {
  const { asking } = box;
  server.registerTool(
    'ask',
    {
      description: 'Ask a person, and wait for the answer. Choose this when you can not decide for yourself.',
      inputSchema: askInput,
    },
    (input, extra) => answer(() => ask(asking, input, contextOf(box, extra, gone))),
  );
}

function addProposing(server: McpServer, box: ToolBox, gone: AbortSignal): void {
  const { asking, session, clock, identity } = box;
  server.registerTool(
    'apply',
    {
      description:
        'Propose Kubernetes objects, or changes of some, wait for a yes, and have them applied with the rights of whoever said it. You have no access of your own. Give only the fields that are to be set; leave out a field that an earlier proposal set, and it is removed.',
      inputSchema: applyInput,
    },
    (input, extra) =>
      answer(() => apply(asking, { input, namespace: identity.namespace }, contextOf(box, extra, gone))),
  );
  server.registerTool(
    'spawn',
    {
      description:
        'Propose another Session (another agent on its own clone and branch), wait for a yes, and get its name.',
      inputSchema: spawnInput,
    },
    (input, extra) =>
      answer(async () => {
        const context = contextOf(box, extra, gone);
        const patience = { clock, signal: context.signal, isPassing: passes };
        const parent = await persistently(() => session.read(), patience);
        return spawn(asking, { input, parent }, context);
      }),
  );
}

function addTelling(server: McpServer, { status, client, identity }: ToolBox): void {
  server.registerTool(
    'set_status',
    { description: 'Say in one line what you are doing, for the people who watch.', inputSchema: setStatusInput },
    (input) => answer(() => setStatus(status, input)),
  );
  server.registerTool(
    'list_sessions',
    { description: 'List the Sessions of this project: name, state, what each says it does, parent.' },
    () => answer(() => listSessions(client, identity.namespace)),
  );
}

function addPushing(server: McpServer, box: ToolBox, { pushing, gone }: { pushing: Pushing; gone: AbortSignal }): void {
  server.registerTool(
    'push',
    {
      description:
        "Push your commits to the Session's own branch of the remote. A person may be asked first, and sees the commits: commit everything before. You have no credentials to push with yourself.",
    },
    (extra) => answer(() => push(pushing, contextOf(box, extra, gone))),
  );
  if (!pushing.forge) return;
  server.registerTool(
    'open_pull_request',
    {
      description:
        'Push your commits as `push` does, and open a pull request (or merge request) for them, with one question for both. Where one is open for the branch, its address is given.',
      inputSchema: pullRequestInput,
    },
    (input, extra) =>
      answer(async () => {
        const context = contextOf(box, extra, gone);
        const session = await box.session.read();
        return openPullRequest(pushing, { input, session }, context);
      }),
  );
}

/** The outcome as MCP has it: a refusal is an error result, which the agent reads. */
async function answer(act: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await act() }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: (error as Error).message }] };
  }
}

function contextOf({ identity, clock }: ToolBox, extra: Extra, gone: AbortSignal): ToolContext {
  const progressToken = extra._meta?.progressToken;
  let progress = 0;
  return {
    session: identity.session,
    now: () => new Date(clock.now()),
    signal: AbortSignal.any([extra.signal, gone]),
    progress(message) {
      progress += 1;
      if (progressToken === undefined) return;
      extra
        .sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message } })
        .catch(() => {});
    },
  };
}
