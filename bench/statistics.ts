/** What is told of repeated measurements. The machine may be busy with other work: hence medians, and ratios of them. */

/** Of all runs; `unit` is of each. */
export interface Spread {
  median: number;
  min: number;
  max: number;
  runs: number;
  unit: string;
}

/** The middle value, of an even number the mean of the middle two. Throws where there is none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) throw new RangeError('nothing was measured');
  return (low + high) / 2;
}

export const spread = (values: readonly number[], unit: string): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
  runs: values.length,
  unit,
});

/** Of one run to the other, for runs that were taken in turn: what slows the machine down slows both of a pair. */
export const pairwise = (values: readonly number[], others: readonly number[]): Spread =>
  spread(
    values.map((value, at) => value / (others[at] ?? Number.NaN)),
    '×',
  );
