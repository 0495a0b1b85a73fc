/**
 * Which of many are done in one pass: a bounded number, the same from each project in turn. The start moves on from
 * pass to pass, so that what can't be put right keeps nobody else waiting for ever. Pure.
 */

/**
 * Up to `most` of what stands in the lists, a round at a time. Where there are more lists than that, they take turns;
 * a list goes on at the item after those that its last turn had.
 */
export function fairly<T>(lists: readonly (readonly T[])[], { most, turn }: { most: number; turn: number }): T[] {
  const filled = lists.filter((list) => list.length > 0);
  const groups = Math.max(1, Math.ceil(filled.length / most));
  const share = Math.max(1, Math.floor(most / Math.max(1, filled.length)));
  const visit = Math.floor(turn / groups);
  const rotated = rotate(filled, (turn % groups) * most).map((list) => rotate(list, visit * share));
  const longest = Math.max(0, ...rotated.map((list) => list.length));
  const chosen: T[] = [];
  for (let round = 0; round < longest && chosen.length < most; round++) {
    for (const list of rotated) if (round < list.length && chosen.length < most) chosen.push(list[round] as T);
  }
  return chosen;
}

function rotate<T>(list: readonly T[], by: number): T[] {
  const start = list.length ? by % list.length : 0;
  return [...list.slice(start), ...list.slice(0, start)];
}
