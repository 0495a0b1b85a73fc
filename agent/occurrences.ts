/**
 * Tells "the same question again" after a kill from "the same question anew". An agent that was killed while it
 * waited asks in the same words, and must find the Question it asked before; one that had its answer and asks in
 * the same words later must get a new one. So a key is the content and how many answers to it were delivered.
 * An answer counts as delivered *before* it is handed over: at worst a person is asked once more, and one yes is
 * never used for two acts.
 */
export interface Occurrences {
  /** Begins to wait for the lowest occurrence of `content` that was neither delivered nor is waited for. */
  take(content: string, signal: AbortSignal): Taken;
}

export interface Taken {
  occurrence: number;
  /** The wait ended, with an answer delivered or not. A wait whose signal has aborted counts as ended. */
  release(): void;
}

/** `delivered` counts the answers handed over so far; it is asked anew each time. */
export function trackOccurrences(delivered: (content: string) => number): Occurrences {
  const waits = new Set<{ content: string; occurrence: number; signal: AbortSignal }>();
  const isWaitedFor = (content: string, occurrence: number) =>
    [...waits].some((one) => one.content === content && one.occurrence === occurrence && !one.signal.aborted);
  return {
    take(content, signal) {
      let occurrence = delivered(content);
      while (isWaitedFor(content, occurrence)) occurrence += 1;
      const wait = { content, occurrence, signal };
      waits.add(wait);
      return { occurrence, release: () => waits.delete(wait) };
    },
  };
}
