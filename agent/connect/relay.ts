/**
 * Passes an agent's MCP messages, one JSON a line, to a server that may go and come again. A new server is introduced with
 * the agent's own first words, whose answer the agent has had already, and gets the calls that the old one did not answer:
 * our tools find by its content what was asked before.
 */
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface RelayOptions {
  dial: () => Socket;
  toAgent: (line: string) => void;
  log: (line: string) => void;
  /** There never was a server. */
  gone: () => void;
  later: (ms: number, act: () => void) => void;
}

export interface Relay {
  fromAgent: (line: string) => void;
  /** The agent says no more. */
  end: () => Promise<void>;
}

interface Message {
  id?: string | number;
  method?: string;
  params?: { requestId?: string | number };
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 15_000;

interface State {
  socket?: Socket;
  /** Whether the server has been introduced: before that it gets nothing else. */
  isOpen: boolean;
  hasBeenOpen: boolean;
  isOver: boolean;
  pause: number;
  hello?: { line: string; id: string | number; isAnswered: boolean };
  introduced?: string;
  /** Calls without an answer. */
  calls: Map<string | number, string>;
}

/** Connects at once. */
export function makeRelay(options: RelayOptions): Relay {
  const state: State = { isOpen: false, hasBeenOpen: false, isOver: false, pause: FIRST_PAUSE_MS, calls: new Map() };
  open(state, options);
  return {
    fromAgent(line) {
      note(state, line);
      if (state.isOpen) write(state, line);
    },
    end() {
      state.isOver = true;
      return new Promise((resolve) => {
        if (!state.socket) return resolve();
        state.socket.once('close', () => resolve());
        state.socket.end();
      });
    },
  };
}

const write = ({ socket }: State, line: string): void => void socket?.write(`${line}\n`);

/** Remembers what another server would have to be told. */
function note(state: State, line: string): void {
  const { id, method, params } = parse(line) ?? {};
  if (method === 'notifications/cancelled' && params?.requestId !== undefined) state.calls.delete(params.requestId);
  if (method === 'initialize' && id !== undefined) state.hello = { line, id, isAnswered: false };
  else if (method === 'notifications/initialized') state.introduced = line;
  else if (method !== undefined && id !== undefined) state.calls.set(id, line);
}

function parse(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}

function open(state: State, options: RelayOptions): void {
  const socket = options.dial();
  state.socket = socket;
  let why = 'it has ended';
  socket.once('connect', () => begin(state));
  socket.once('error', (error: NodeJS.ErrnoException) => {
    why = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? 'nothing listens there' : error.message;
  });
  socket.once('close', () => lost(state, options, why));
  createInterface({ input: socket })
    .on('line', (line) => receive(state, options, line))
    .on('error', () => {});
}

function begin(state: State): void {
  const isAnew = state.hasBeenOpen;
  state.hasBeenOpen = true;
  state.pause = FIRST_PAUSE_MS;
  state.isOpen = !isAnew || state.hello === undefined;
  if (state.hello) write(state, state.hello.line);
  if (!isAnew) for (const line of state.calls.values()) write(state, line);
}

function receive(state: State, { toAgent }: RelayOptions, line: string): void {
  const message = parse(line);
  // The half line of a server that was killed.
  if (!message) return;
  if (message.method === undefined && message.id !== undefined) {
    if (message.id === state.hello?.id) {
      welcomed(state, state.hello, () => toAgent(line));
      return;
    }
    state.calls.delete(message.id);
  }
  toAgent(line);
}

/** The server has answered the introduction; the agent hears of the first one only. */
function welcomed(state: State, hello: NonNullable<State['hello']>, tell: () => void): void {
  if (!hello.isAnswered) tell();
  hello.isAnswered = true;
  if (state.isOpen) return;
  state.isOpen = true;
  if (state.introduced) write(state, state.introduced);
  for (const call of state.calls.values()) write(state, call);
}

function lost(state: State, options: RelayOptions, why: string): void {
  state.isOpen = false;
  delete state.socket;
  if (!state.hasBeenOpen) {
    options.log(`can't reach the session's tools: ${why}. Is the "tools" container of this pod running?`);
    options.gone();
    return;
  }
  if (state.isOver) return;
  options.log(`the session's tools are away: ${why}; connecting again`);
  options.later(state.pause, () => open(state, options));
  state.pause = Math.min(LONGEST_PAUSE_MS, state.pause * 2);
}
