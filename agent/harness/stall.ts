/** Notices an agent that hangs: in the middle of a turn it says nothing, and it waits for nobody's answer. */
import { findCondition } from '../../lib/api/conditions.ts';
import type { Session } from '../../lib/api/session.ts';
import { milliseconds } from '../../lib/session/lifetime.ts';
import { CONDITION } from '../../lib/session/status.ts';
import type { HarnessOptions } from './context.ts';
import { persistently } from './tools-client.ts';

/** How often a turn whose agent hangs is begun again before the Session is given up. */
export const MAX_STALLS = 3;

/** setTimeout takes at most about 24 days. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/** Resolves once the agent has hung for `idle.stalledAfter`; rejects when `signal` aborts. A limit of 0 is none. */
export async function untilStalled(
  { config, pulse, tools, clock }: Pick<HarnessOptions, 'config' | 'pulse' | 'tools' | 'clock'>,
  signal: AbortSignal,
): Promise<'stalled'> {
  const limit = milliseconds(config.idle.stalledAfter) || Number.POSITIVE_INFINITY;
  let since = clock.now();
  for (;;) {
    const left = Math.max(since, pulse.at()) + limit - clock.now();
    if (left > 0) await clock.sleep(Math.min(LONGEST_SLEEP_MS, left), signal);
    else {
      const waited = waitedUntil(await persistently(() => tools.session(), { clock, signal }), clock.now());
      if (waited <= since) return 'stalled';
      since = waited;
    }
  }
}

/** When it last waited for an answer; while nobody answers, a person is slow and not the agent. */
function waitedUntil(session: Session, now: number): number {
  const waiting = findCondition(session, CONDITION.waiting);
  if (!waiting) return 0;
  return waiting.status === 'True' ? now : Date.parse(waiting.lastTransitionTime);
}

/** What is told of it; `times` is how often it has happened in this turn. */
export const stallWords = (stalledAfter: string, times: number): string =>
  `the agent has said nothing for ${stalledAfter} (spec.idle.stalledAfter), so it was ended and is started again, for the ${times}. time of ${MAX_STALLS} at most`;
