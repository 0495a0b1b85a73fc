/**
 * The time as the API server has it. Deadlines and expiries are set against its clock, by its `creationTimestamp`, and
 * judged by several machines; each takes the difference to its own clock from the `Date` header of the answers that it
 * gets anyway, so that a clock that is minutes off decides nothing.
 */
import type { Clock } from './clock.ts';

/** A header holds whole seconds, and an answer takes its time: what is below this is no difference. Milliseconds. */
const NOISE_MS = 2000;

export interface ServerClock extends Clock {
  /** Takes the `Date` header of an answer that has just come. */
  heard(date: string | undefined): void;
}

/** `clock`, corrected by what was heard. */
export function serverClock(clock: Clock): ServerClock {
  let ahead = 0;
  return {
    ...clock,
    now: () => clock.now() - ahead,
    heard(date) {
      const difference = clock.now() - Date.parse(date ?? '');
      if (Number.isNaN(difference)) return;
      if (Math.abs(difference - ahead) > NOISE_MS) ahead = Math.abs(difference) > NOISE_MS ? difference : 0;
    },
  };
}
