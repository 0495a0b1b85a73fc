/**
 * How a Session that waits is put to sleep without a timer outside its pod: once it has waited longer than its spec lets
 * it, what it reports changes once a minute. Each change is an event to the function that takes the workload to zero, so
 * that one lost is made up for by the next.
 */

/** Conditions are timed in whole seconds, and clocks differ a little: an event that comes too early has no effect. */
const SLACK_MS = 1000;

/** What is added to a report of having waited for `ms`; nothing while that is within `patience`. Milliseconds. */
export const stir = (ms: number, patience: number | undefined): string =>
  patience === undefined || ms < patience + SLACK_MS ? '' : ` (for ${Math.floor(ms / 60_000)} min)`;
