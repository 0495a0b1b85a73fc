/** What the agent's conversation has cost so far, as it tells it while it works. */
import type * as acp from '@agentclientprotocol/sdk';
import type { Money } from '../../lib/api/budget.ts';
import { costIn } from './usage.ts';

export interface Meter {
  /** The agent has said something. */
  take(update: acp.SessionUpdate): void;
  /** The cost that was told last since the last reading, if any was. */
  read(): Money | undefined;
  /** Resolves once a cost is told of which `isOver`; never, where none is, or once `signal` aborts. */
  until(isOver: (cost: Money) => boolean, signal: AbortSignal): Promise<'budget'>;
}

export function makeMeter(): Meter {
  let last: Money | undefined;
  const watchers = new Set<(cost: Money) => void>();
  return {
    take(update) {
      const cost = update.sessionUpdate === 'usage_update' ? costIn(update) : undefined;
      if (!cost) return;
      last = cost;
      for (const watch of watchers) watch(cost);
    },
    read() {
      const read = last;
      last = undefined;
      return read;
    },
    until: (isOver, signal) =>
      new Promise((resolve) => {
        const watch = (cost: Money) => {
          if (isOver(cost)) resolve('budget');
        };
        watchers.add(watch);
        signal.addEventListener('abort', () => watchers.delete(watch), { once: true });
      }),
  };
}
