/** What a throughput comes to: pure. A Session that is lost or doubled is wrong, and so is a function that is slow. */
import { spread } from './statistics.ts';
import type { Result } from './types.ts';

/** The least that the throughput may be, to that of the plain loop. */
const LEAST = 0.8;

export interface Measured {
  sessionsAtOnce: number;
  plainMs: number;
  madeMs: number;
  counted: { told: number; deployments: number };
}

/** As Sessions a second, and the function's to the plain loop's. */
export function result({ sessionsAtOnce, plainMs, madeMs, counted }: Measured): Result {
  const ratio = plainMs / madeMs;
  const wrong = [
    ...(counted.told === sessionsAtOnce ? [] : [`${counted.told} of ${sessionsAtOnce} Sessions are materialised`]),
    ...(counted.deployments === sessionsAtOnce
      ? []
      : [`${counted.deployments} Deployments for ${sessionsAtOnce} Sessions`]),
    ...(ratio >= LEAST ? [] : [`throughput is ${ratio.toFixed(2)} of the plain loop's, less than ${LEAST}`]),
  ];
  const perSecond = (ms: number) => spread([(sessionsAtOnce * 1000) / ms], 'Sessions/s');
  return {
    ratio,
    figures: { sessions: sessionsAtOnce, 'function loop': perSecond(madeMs), 'plain loop': perSecond(plainMs) },
    wrong,
  };
}
