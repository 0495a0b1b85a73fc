/** What a measurement may come to, as the design has it: pure. A limit that is passed is wrong, as a wrong count is. */

export interface Limit {
  /** What was measured, in words. */
  what: string;
  /** The median of the runs. */
  value: number;
  most: number;
  /** Of both; empty for a ratio. */
  unit: string;
}

const shown = (value: number, unit: string): string => `${Number(value.toPrecision(3))}${unit && ` ${unit}`}`;

/** What to say of each limit that is passed; a figure that is none has passed it too. */
export const passed = (limits: readonly Limit[]): string[] =>
  limits
    .filter(({ value, most }) => !(value <= most))
    .map(({ what, value, most, unit }) => `${what} is ${shown(value, unit)}, more than ${shown(most, unit)}`);

/** Spawn to first answer of a function, to a bare server. */
export const COLD_START = 2.2;
/** `tiny up` until it is ready, with the stand-in or a real engine; seconds. */
export const UP_SECONDS: Record<string, number> = { 'stand-in': 3, kubernetes: 15 };
export const DEMO_SECONDS = 60;
/** `npm test`, on two cores that do nothing else. */
export const TEST_SECONDS = 120;
/** An answer to the next word of an agent that sleeps, to a new Session from its creation to the agent's first word. */
export const WAKE = 2;
/** Of a killed agent, to its next request, beyond what its own start takes; milliseconds. */
export const RESUME_MS = 2000;
/** What a part of a Session's pod takes of a core while its agent waits; percent. */
export const IDLE_PERCENT = 1;
