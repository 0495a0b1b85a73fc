/**
 * Tells a turn that failed from one that ended, where the agent's answer does not. Codex ends a turn whose model refused as
 * one that is done, with the error as its last words; only the status of its thread says what happened. And an agent that
 * ends its turn without a word or a deed has not done its task.
 */
import type * as acp from '@agentclientprotocol/sdk';

export interface TurnWatch {
  take(update: acp.SessionUpdate): void;
  /** A new turn begins. */
  reset(): void;
  /** Why the turn that has just ended is none that went well; `words` are the agent's last. Of a turn that was cut short before, all may have been said. */
  failure(words: string, wasCutShort: boolean): string | undefined;
}

const DEEDS = ['agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'plan', 'plan_update'];

export function watchTurn(): TurnWatch {
  let deeds = 0;
  let isBroken = false;
  return {
    take(update) {
      if (DEEDS.includes(update.sessionUpdate)) deeds += 1;
      const status = threadStatus(update);
      if (status !== undefined) isBroken = status === 'systemError';
    },
    reset() {
      deeds = 0;
      isBroken = false;
    },
    failure(words, wasCutShort) {
      if (isBroken) return words.trim() || 'it says that its system failed, and no more';
      return deeds === 0 && !wasCutShort
        ? 'it ended its turn without a word and without having done anything'
        : undefined;
    },
  };
}

/** What Codex's adapter says of its thread beside the protocol: `active`, `idle`, `systemError`. */
function threadStatus(update: acp.SessionUpdate): unknown {
  const meta = update._meta as { codex?: { threadStatus?: { type?: unknown } } } | null | undefined;
  return meta?.codex?.threadStatus?.type;
}
