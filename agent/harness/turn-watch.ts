/**
 * Tells a turn that failed from one that ended, where the agent's answer does not: Codex ends a turn whose model refused as
 * one that is done, with the error as its last words; only the status of its thread says what happened.
 */
import type * as acp from '@agentclientprotocol/sdk';

export interface TurnWatch {
  take(update: acp.SessionUpdate): void;
  /** A new turn begins. */
  reset(): void;
  /** Why the turn that has just ended is none that went well; `words` are the agent's last. */
  failure(words: string): string | undefined;
}

export function watchTurn(): TurnWatch {
  let isBroken = false;
  return {
    take(update) {
      const status = threadStatus(update);
      if (status !== undefined) isBroken = status === 'systemError';
    },
    reset() {
      isBroken = false;
    },
    failure: (words) => (isBroken ? words.trim() || 'it says that its system failed, and no more' : undefined),
  };
}

/** What Codex's adapter says of its thread beside the protocol: `active`, `idle`, `systemError`. */
function threadStatus(update: acp.SessionUpdate): unknown {
  const meta = update._meta as { codex?: { threadStatus?: { type?: unknown } } } | null | undefined;
  return meta?.codex?.threadStatus?.type;
}
