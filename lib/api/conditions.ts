/** Reading and setting conditions the way the API conventions ask for it. Pure. */
import type { Condition } from './meta.ts';

export type Conditioned = { status?: { conditions?: Condition[] | undefined } };

export const findCondition = (object: Conditioned, type: string): Condition | undefined =>
  object.status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (object: Conditioned, type: string): boolean => findCondition(object, type)?.status === 'True';

/** A condition as it is to be told; when it changed follows from what was told before. */
export type Telling = Omit<Condition, 'lastTransitionTime'>;

/** `next` as a condition: the time of the last transition is kept while the status stays. */
export function transition(object: Conditioned, next: Telling, now: Date): Condition {
  const before = findCondition(object, next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : toTimestamp(now);
  return { ...next, lastTransitionTime };
}

/** Whether `object` says exactly `condition` already. */
export function alreadySays(object: Conditioned, condition: Condition): boolean {
  const before = findCondition(object, condition.type);
  return (
    before !== undefined &&
    (['status', 'reason', 'message', 'observedGeneration'] as const).every((key) => before[key] === condition[key])
  );
}

/** RFC 3339 in whole seconds, as `metav1.Time` is written. */
export const toTimestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
