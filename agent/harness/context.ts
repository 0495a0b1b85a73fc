/** What the harness's loop works with: its Session's configuration, its memory, and its effects as functions. */
import type { Session } from '../../lib/api/session.ts';
import type { Clock } from '../../lib/kube/clock.ts';
import type { SessionConfig } from '../env.ts';
import type { CloneFailure } from '../git/clone-errors.ts';
import type { Conversation } from './conversation.ts';
import { type Writing, writeDown } from './disk.ts';
import type { Finish, Journal } from './journal.ts';
import type { Meter } from './meter.ts';
import type { Pulse } from './pulse.ts';
import type { Reporter } from './reporter.ts';
import { finished } from './telling.ts';
import type { StatusPatch, ToolsClient } from './tools-client.ts';

export interface HarnessOptions {
  config: SessionConfig;
  /** The Session's prompt. */
  task: string;
  journal: Journal;
  tools: ToolsClient;
  reporter: Reporter;
  pulse: Pulse;
  meter: Meter;
  clock: Clock;
  /** Aborts when the pod is to end. */
  stop: AbortSignal;
  log: (line: string) => void;
  /** Makes the clone, or says in words why it can't be made. */
  clone: () => Promise<{ branch: string; base: string } | CloneFailure>;
  result: () => Promise<NonNullable<StatusPatch['result']>>;
  /** Starts the agent; `load` is the conversation to go on with. */
  converse: (load: string | undefined) => Promise<Conversation>;
}

/** What the loop keeps in memory. */
export interface Live {
  conversation?: Conversation;
  session?: Session;
}

/** Finishes as failed, with the reason in words. */
export async function giveUp(options: Writing, message: string): Promise<void> {
  const end: Finish = { reason: 'Failed', message };
  await writeDown(options, { type: 'finished', ...end });
  options.reporter.tell(finished(end));
}
