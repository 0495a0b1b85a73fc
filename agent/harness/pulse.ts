/** When the agent has last said anything, and how often it has: nothing else tells whether it works. */
export interface Pulse {
  /** It has said something. */
  beat(): void;
  /** When it last did, milliseconds since 1970; 0 before that. */
  at(): number;
  count(): number;
}

export function makePulse(now: () => number): Pulse {
  let [at, count] = [0, 0];
  return {
    beat() {
      at = now();
      count += 1;
    },
    at: () => at,
    count: () => count,
  };
}
