/**
 * The handshake with an agent: who speaks, then its earlier conversation or a new one, then the mode in which it asks. An
 * agent that does not know that mode is not let loose in another.
 */
import * as acp from '@agentclientprotocol/sdk';
import { AgentError } from './agent-process.ts';
import type { ConversationOptions } from './conversation.ts';

export interface Opening {
  /** Waits for an answer, a bounded time. Throws `AgentError`. */
  ask: <T>(request: Promise<T>, what: string) => Promise<T>;
  options: Pick<ConversationOptions, 'launch' | 'cwd' | 'load' | 'log' | 'clock' | 'status'>;
}

type Modes = acp.SessionModeState | null | undefined;

/** How often and after how long a conversation is asked for that can't be loaded: an old process may still hold it. */
const LOADS = 3;
const LOAD_PAUSE_MS = 1500;

/** The conversation's name, and whether it is the earlier one. Throws `AgentError` in words for a person. */
export async function openSession(
  agent: acp.ClientContext,
  opening: Opening,
): Promise<{ id: string; loaded: boolean }> {
  const { ask, options } = opening;
  const { agentCapabilities } = await ask(agent.request(acp.methods.agent.initialize, HELLO), 'initialize');
  const place = placeOf(options);
  const { load } = options;
  if (load !== undefined && agentCapabilities?.loadSession) {
    const loaded = await loadSession(agent, { ...place, sessionId: load }, opening);
    if (loaded) {
      await setMode(agent, { sessionId: load, modes: loaded.modes }, opening);
      return { id: load, loaded: true };
    }
  }
  const { sessionId, modes } = await ask(agent.request(acp.methods.agent.session.new, place), 'session/new');
  await setMode(agent, { sessionId, modes }, opening);
  return { id: sessionId, loaded: false };
}

const HELLO: acp.InitializeRequest = {
  protocolVersion: acp.PROTOCOL_VERSION,
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    // Warnings come apart from the agent's words.
    session: { notices: {} },
  },
  clientInfo: { name: 'tiny', version: '0.1.0' },
};

const placeOf = ({ launch, cwd }: Opening['options']): acp.NewSessionRequest => ({
  cwd: launch.folder ?? cwd,
  mcpServers: launch.mcpServers.map((server) => ({ ...server, env: [] })),
  ...(launch.meta && { _meta: launch.meta }),
});

/** `undefined` where it is refused for good; that is told, and a new conversation is begun. */
async function loadSession(
  agent: acp.ClientContext,
  request: acp.LoadSessionRequest,
  { ask, options: { log, clock, status } }: Opening,
): Promise<acp.LoadSessionResponse | undefined> {
  const load = () => ask(agent.request(acp.methods.agent.session.load, request), 'session/load');
  let why = '';
  for (let tries = 1; tries <= LOADS; tries += 1) {
    if (tries > 1) await clock.sleep(LOAD_PAUSE_MS);
    const loaded = await load().catch(refusalOf);
    if (typeof loaded !== 'string') return loaded ?? {};
    why = loaded;
  }
  log(`the earlier conversation can't be loaded, so a new one is begun: ${why}`);
  status('the earlier conversation is lost; a new one has begun and is told the task again');
  return undefined;
}

/** The words of a refusal; throws what may pass with another start. */
function refusalOf(error: unknown): string {
  if (error instanceof AgentError && !error.passes) return error.message;
  throw error;
}

async function setMode(
  agent: acp.ClientContext,
  { sessionId, modes }: { sessionId: string; modes: Modes },
  { ask, options: { launch } }: Opening,
): Promise<void> {
  const modeId = launch.mode;
  if (modeId === undefined || modes?.currentModeId === modeId) return;
  const offered = modes?.availableModes.map(({ id }) => id) ?? [];
  if (!offered.includes(modeId)) {
    const why = `the agent has no mode "${modeId}", in which it was to work, so it was not started in another; it offers ${offered.join(', ') || 'none'}: see spec.agent.mode and spec.agent.image`;
    throw new AgentError({ why, passes: false });
  }
  await ask(agent.request(acp.methods.agent.session.setMode, { sessionId, modeId }), 'session/set_mode');
}
