/** Bounds what one turn may add to the transcript: an agent that floods fills neither the volume nor the node's log. */
import type { Draft } from '../../lib/api/transcript.ts';

/** Of one turn, in characters. What a turn says of itself (its calls' titles, its end) is told beyond it. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const MOST_ENTRIES = 20_000;

/** Passes entries on to `write`, and instead of what is too much, at the end of the turn, how much that was. */
export function makeBudget(write: (draft: Draft) => void): { take(draft: Draft): void } {
  let spent = { entries: 0, characters: 0 };
  let dropped = { entries: 0, characters: 0 };
  const isOver = () => spent.characters > MOST_CHARACTERS || spent.entries > MOST_ENTRIES;
  const take = (said: Draft) => {
    if (said.type === 'prompt') spent = { entries: 0, characters: 0 };
    const characters = JSON.stringify(said).length;
    if (isOver() && isBulk(said)) {
      dropped = { entries: dropped.entries + 1, characters: dropped.characters + characters };
      return;
    }
    if (dropped.entries > 0 && !isBulk(said)) {
      write({ type: 'dropped', ...dropped });
      dropped = { entries: 0, characters: 0 };
    }
    spent = { entries: spent.entries + 1, characters: spent.characters + characters };
    write(said);
  };
  return { take };
}

const BULK: readonly Draft['type'][] = ['message', 'thought', 'call', 'result', 'plan', 'note'];
const isBulk = ({ type }: Draft): boolean => BULK.includes(type);
