/**
 * One conversation with an agent over the Agent Client Protocol: started or loaded, prompted, followed. It dies with
 * the agent's process; the journal and the agent's own transcript bring the next one to where this one was.
 */
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../lib/kube/clock.ts';
import type { Launch } from '../presets/preset.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { failureWords, wordsOf } from './agent-words.ts';
import { bounded } from './bounded.ts';
import { type Denials, denialText, noteDenials } from './denials.ts';
import { dammed, onlyMessages } from './flood.ts';
import { openSession } from './open-session.ts';
import type { Permits } from './permits.ts';
import { type TurnWatch, watchTurn } from './turn-watch.ts';
import { followUpdates, type Updates } from './updates.ts';
import { sumOf, type TurnUsage, usageIn } from './usage.ts';

export interface ConversationOptions {
  launch: Launch;
  cwd: string;
  env: Record<string, string>;
  /** The conversation to load, if the agent can. */
  load: string | undefined;
  permits: Permits;
  clock: Clock;
  log: (line: string) => void;
  status: (line: string) => void;
  /** Gets the process that the agent starts as. */
  started: (pid: number | undefined) => void;
  /** Gets all that the agent says, for the transcript. */
  record: (update: acp.SessionUpdate) => void;
}

/** How a turn ended: as the agent said, with the agent's error, or with its death. `isBroken`: it says besides that it failed. */
export type TurnEnd =
  | ({ ended: true; stopReason: string; summary: string; isBroken?: boolean } & TurnUsage)
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
  const { launch, cwd, clock } = options;
  const log = dammed(options.log, clock.now);
  // What a person set for the container says more than a preset.
  const env = { ...launch.env, ...options.env };
  const agent = startAgent({ command: launch.command, args: launch.args, cwd, env, clock, log });
  options.started(agent.child.pid);
  const updates = followUpdates(options);
  const watch = watchTurn();
  const take = (update: acp.SessionUpdate) => {
    options.record(update);
    updates.take(update);
    watch.take(update);
    if (update.sessionUpdate === 'notice') log(noticeLine(update));
  };
  const denials = noteDenials(options.permits);
  const connection = connect(agent, updates, { take, permits: denials.permits, log });
  const ask = <T>(request: Promise<T>, what: string) => bounded(request, { agent, clock, what });
  try {
    const session = await openSession(connection.agent, { ask, options });
    return conversationOf({ agent, connection, updates, watch, denials }, session);
  } catch (error) {
    await agent.end();
    throw error;
  }
}

function connect(
  agent: AgentProcess,
  updates: Updates,
  { take, permits, log }: { take: (update: acp.SessionUpdate) => void } & Pick<ConversationOptions, 'permits' | 'log'>,
): acp.ClientConnection {
  const input = Readable.toWeb(agent.child.stdout.pipe(onlyMessages(log))) as ReadableStream<Uint8Array>;
  const stream = acp.ndJsonStream(Writable.toWeb(agent.child.stdin) as WritableStream<Uint8Array>, input);
  const app = acp
    .client({ name: 'tiny' })
    .onNotification(acp.methods.client.session.update, ({ params }) => take(params.update))
    .onRequest(acp.methods.client.session.requestPermission, ({ params, signal }) =>
      permits(params, updates.toolCall(params.toolCall.toolCallId), signal),
    );
  return app.connect(stream);
}

const noticeLine = ({ severity, title, description }: acp.Notice): string =>
  `agent, ${severity}: ${title}${description ? `: ${description}` : ''}`;

interface Parts {
  agent: AgentProcess;
  connection: acp.ClientConnection;
  updates: Updates;
  watch: TurnWatch;
  denials: Denials;
}

function conversationOf(parts: Parts, { id, loaded }: { id: string; loaded: boolean }): Conversation {
  const { agent, connection, updates, watch } = parts;
  const heard = updates.heard();
  let isCancelled = false;
  return {
    id,
    loaded,
    heard: () => heard,
    get alive() {
      return !connection.signal.aborted;
    },
    async prompt(blocks) {
      updates.reset();
      watch.reset();
      isCancelled = false;
      try {
        return await takeTurn(blocks, { id, parts, isCancelled: () => isCancelled });
      } catch (error) {
        return await failed(error, { agent, updates });
      } finally {
        updates.reset();
      }
    },
    cancel() {
      isCancelled = true;
      return connection.agent.notify(acp.methods.agent.session.cancel, { sessionId: id }).catch(() => {});
    },
    end: () => agent.end(),
  };
}

interface TurnOf {
  id: string;
  parts: Parts;
  isCancelled: () => boolean;
}

/** How often an agent that stops at a no is told to go on within a turn. */
const MOST_DENIALS = 10;

/** The turn to its end; an agent that a no has stopped is told so and goes on. */
async function takeTurn(blocks: readonly string[], { id, parts, isCancelled }: TurnOf): Promise<TurnEnd> {
  const { connection, updates, watch, denials } = parts;
  const send = (texts: readonly string[]): Promise<acp.PromptResponse> => {
    const request: acp.PromptRequest = { sessionId: id, prompt: texts.map((text) => ({ type: 'text', text })) };
    return connection.agent.request(acp.methods.agent.session.prompt, request);
  };
  denials.take();
  let response = await send(blocks);
  let used = usageIn(response);
  for (let times = 0; times < MOST_DENIALS && response.stopReason === 'cancelled' && !isCancelled(); times += 1) {
    const denied = denials.take();
    if (denied.length === 0) break;
    response = await send([denialText(denied)]);
    used = sumOf(used, usageIn(response));
  }
  return endOf(response, { updates, watch, used });
}

const endOf = (
  { stopReason }: acp.PromptResponse,
  { updates, watch, used }: Pick<Parts, 'updates' | 'watch'> & { used: TurnUsage },
): TurnEnd => ({
  ended: true,
  stopReason,
  summary: updates.summary(),
  ...(watch.isBroken() && { isBroken: true }),
  ...used,
});

async function failed(error: unknown, { agent, updates }: Pick<Parts, 'agent' | 'updates'>): Promise<TurnEnd> {
  if (!(error instanceof acp.RequestError)) {
    await agent.end();
    return { ended: false, why: (await agent.exited).why };
  }
  return { ended: true, stopReason: 'error', summary: updates.summary(), error: failureWords(wordsOf(error)) };
}
