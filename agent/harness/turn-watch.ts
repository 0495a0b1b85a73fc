/**
 * Notes what an agent says of a turn beside its answer: Codex ends a turn whose model refused as one that is done, with the
 * error as its last words; only the status of its thread says what happened. What follows is for `turn-end.ts` to say.
 */
import type * as acp from '@agentclientprotocol/sdk';

export interface TurnWatch {
  take(update: acp.SessionUpdate): void;
  /** A new turn begins. */
  reset(): void;
  /** Whether the agent says that its own system failed in the turn. */
  isBroken(): boolean;
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
    isBroken: () => isBroken,
  };
}

/** What Codex's adapter says of its thread beside the protocol: `active`, `idle`, `systemError`. */
function threadStatus(update: acp.SessionUpdate): unknown {
  const meta = update._meta as { codex?: { threadStatus?: { type?: unknown } } } | null | undefined;
  return meta?.codex?.threadStatus?.type;
}
