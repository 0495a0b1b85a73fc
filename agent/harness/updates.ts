/** Follows what the agent says in a turn: its last words, its tool calls, its plan, what it used. What it says besides is the transcript's. */
import type * as acp from '@agentclientprotocol/sdk';
import { cut, cutStart } from '../cut.ts';
import { DENIED } from './denials.ts';
import { CONTINUE } from './prompt.ts';

export interface Updates {
  take(update: acp.SessionUpdate): void;
  /** What the agent said of a tool call so far. */
  toolCall(id: string): Partial<acp.ToolCallUpdate> | undefined;
  /** The agent's last words since the turn began. */
  summary(): string;
  /** A new turn begins. */
  reset(): void;
  /** The last thing that the agent has replayed of its user's words, what we say after a kill aside. */
  heard(): string;
}

/** Of an agent's last words; a result holds fewer. */
const KEPT_CHARACTERS = 16_384;

/** How Claude Code notes in the user's name that it was ended in the middle of a turn. */
const INTERRUPTED = '[Request interrupted by user';

const textOf = (content: acp.ContentBlock): string => (content.type === 'text' ? content.text : `[${content.type}]`);

/** `status` gets the step of the plan that the agent is at. */
export function followUpdates({ status }: { status: (line: string) => void }): Updates {
  const calls = new Map<string, Partial<acp.ToolCallUpdate>>();
  let words = '';
  let heard = '';
  let isSpeaking = false;
  // Words before a tool call are not the last ones.
  const begin = () => {
    words = '';
  };
  const hear = (text: string) => {
    if ([CONTINUE, DENIED, INTERRUPTED].some((noUsers) => text.trim().startsWith(noUsers))) return;
    heard = cutStart(isSpeaking ? heard + text : text, KEPT_CHARACTERS);
    isSpeaking = true;
  };
  const noteCall = (update: acp.ToolCallUpdate) => {
    const before = calls.get(update.toolCallId);
    // One that is over asks for nothing any more.
    if (update.status === 'completed' || update.status === 'failed') calls.delete(update.toolCallId);
    else calls.set(update.toolCallId, { ...before, ...withoutNulls(update) });
  };
  return {
    take(update) {
      if (update.sessionUpdate !== 'user_message_chunk') isSpeaking = false;
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          words = cutStart(words + textOf(update.content), KEPT_CHARACTERS);
          return;
        case 'user_message_chunk':
          return hear(textOf(update.content));
        case 'plan':
          return planStep(update, status);
        case 'tool_call':
          begin();
          return noteCall(update);
        case 'tool_call_update':
          return noteCall(update);
      }
    },
    toolCall: (id) => calls.get(id),
    summary: () => words,
    reset: begin,
    heard: () => heard,
  };
}

function planStep(update: acp.Plan, status: (line: string) => void): void {
  const current = update.entries.find((entry) => entry.status === 'in_progress');
  if (current) status(cut(current.content, 1024));
}

const withoutNulls = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== undefined)) as Partial<T>;
