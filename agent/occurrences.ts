/**
 * Tells "the same question again" after a kill from "the same question anew". An agent that was killed while it
 * waited asks in the same words, and must find the Question it asked before; one that had its answer and asks in
 * the same words later must get a new one. So a key is the content and how many answers to it were delivered.
 * An answer counts as delivered *before* it is handed over: at worst a person is asked once more, and one yes is
 * never used for two acts.
 */
export interface Occurrences {
  /** The lowest occurrence of `content` that was neither delivered nor is being waited for. */
  take(content: string): number;
  /** The wait ended, with an answer delivered or not. */
  release(content: string, occurrence: number): void;
}

/** `delivered` counts the answers handed over so far; it is asked anew each time. */
export function trackOccurrences(delivered: (content: string) => number): Occurrences {
  const waiting = new Map<string, Set<number>>();
  return {
    take(content) {
      const taken = waiting.get(content) ?? new Set();
      let occurrence = delivered(content);
      while (taken.has(occurrence)) occurrence += 1;
      waiting.set(content, taken.add(occurrence));
      return occurrence;
    },
    release(content, occurrence) {
      waiting.get(content)?.delete(occurrence);
    },
  };
}
