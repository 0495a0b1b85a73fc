/**
 * Breaks a turn off at the limit of the budget. The turn stays open, as after a kill: the agent's process is ended, and
 * once a person has said to go on, the conversation is loaded again and goes on where it was.
 */
import { isOverCost } from './budget.ts';
import type { HarnessOptions, Live } from './context.ts';
import type { Conversation, TurnEnd } from './conversation.ts';
import { writeDown } from './disk.ts';
import { progressOf } from './journal.ts';
import type { TurnUsage } from './usage.ts';

/** A cost is often told just before the end of a turn, which then has ended by itself. */
const SETTLE_MS = 1000;
/** How long the agent may take to end a turn that is broken off, and to tell what it used. */
const CANCEL_MS = 5000;

/** Resolves once the agent tells a cost that is over the limit. Tokens are told at the end of a turn, and held to there. */
export function untilOver(
  { journal, meter }: HarnessOptions,
  { session }: Live,
  signal: AbortSignal,
): Promise<'budget'> {
  const { spent, budget } = progressOf(journal.records);
  return meter.until((cost) => isOverCost(session?.spec.budget, cost, { spent, raised: budget.raised }), signal);
}

/** A turn that goes on. */
export interface Running {
  turn: number;
  conversation: Conversation;
  end: Promise<TurnEnd>;
}

/** Breaks the turn off, unless it ends by itself. That it is over the limit is written down first, with the cost. */
export async function breakOff(
  { turn, conversation, end }: Running,
  options: HarnessOptions,
  signal: AbortSignal,
): Promise<TurnEnd | 'paused'> {
  const within = (ms: number) => Promise.race([end, options.clock.sleep(ms, signal).then(() => undefined)]);
  const itself = await within(SETTLE_MS);
  if (itself) return itself;
  options.log('the budget is used up, so the turn is broken off until somebody says to go on');
  const cost = options.meter.read();
  await writeDown(options, { type: 'paused', turn, ...(cost && { cost }) });
  await conversation.cancel();
  const late = await within(CANCEL_MS);
  if (late?.ended && late.stopReason !== 'cancelled') return late;
  if (late?.ended) await writeDown(options, { type: 'used', turn, ...tokensOf(late) });
  await conversation.end();
  return 'paused';
}

function tokensOf(end: TurnUsage): TurnUsage {
  const { inputTokens, cachedTokens, outputTokens } = end;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}
