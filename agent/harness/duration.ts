/** Go's notation of a duration, as the schema allows it, in milliseconds. */

const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1000 } as const;

/** Milliseconds of `1h30m`, `90s`; 0 for what is no duration. */
export const durationMs = (text: string): number =>
  [...text.matchAll(/([0-9]+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
