/** Conditions of built-in kinds: a transition time changes only when the status does (API conventions). */

export interface Told {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** `told` with the transition times of `before` where the status is still the same, else `now`. */
export const withTimes = <T extends Told>(
  told: T[],
  before: readonly Told[] | undefined,
  now: Date,
): (T & { lastTransitionTime: string })[] =>
  told.map((condition) => {
    const old = before?.find(({ type }) => type === condition.type);
    const kept = old?.status === condition.status ? old.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: kept ?? now.toISOString().replace(/\.\d+Z$/, 'Z') };
  });
