/** The tool calls that run: each is told when it begins and when it ends, however often the agent tells of it. */
import type * as acp from '@agentclientprotocol/sdk';
import type { Draft } from '../../lib/api/transcript.ts';
import type { Redact } from '../redact.ts';
import { type Call, callEntry, mergeCall, resultEntry } from './call.ts';

/** Of calls that run at once, so many are kept. */
const MOST_CALLS = 256;

interface Running {
  now: Call;
  /** As it was told last. */
  told?: Call;
}

export interface Calls {
  take(update: acp.ToolCallUpdate): void;
  /** Tells those that were not told yet. */
  flush(): void;
  /** The same, and forgets them all. */
  end(): void;
  readonly isHolding: boolean;
}

const isUntold = ({ now, told }: Running): boolean =>
  !told || told.title !== now.title || told.input?.text !== now.input?.text;

const isOver = ({ now: { status } }: Running): boolean => status === 'completed' || status === 'failed';

/** Agents begin a call with little more than its name, and tell what it is about at once afterwards. */
const isWorthTelling = (call: Running): boolean =>
  isOver(call) || (!call.told && (call.now.input !== undefined || call.now.status === 'in_progress'));

/** Hands entries to `tell`. */
export function makeCalls(tell: (draft: Draft) => void, redact: Redact): Calls {
  const running = new Map<string, Running>();
  const tellOf = (call: Running) => {
    if (!isUntold(call)) return;
    call.told = call.now;
    tell(callEntry(call.now));
  };
  const flush = () => {
    for (const call of running.values()) tellOf(call);
  };
  const forget = (id: string | undefined) => id !== undefined && running.delete(id);
  return {
    get isHolding() {
      return [...running.values()].some(isUntold);
    },
    take(update) {
      const id = update.toolCallId;
      const before = running.get(id);
      const call: Running = { ...before, now: mergeCall(before?.now, update, redact) };
      running.set(id, call);
      if (isWorthTelling(call)) tellOf(call);
      if (running.size > MOST_CALLS) forget(running.keys().next().value);
      if (!isOver(call)) return;
      tell(resultEntry(call.now, call.told));
      forget(id);
    },
    flush,
    end() {
      flush();
      running.clear();
    },
  };
}
