/**
 * What this process has told last of each Session, as the versions of what it was told from. Whoever can reach the function
 * can send it events, and each that brings nothing new would else cost one of the requests that GitHub counts.
 */

/** Sessions that are known at a time; of one that is forgotten GitHub is asked once more. */
const MOST = 2_000;

export interface Told {
  /** Whether `state` of the Session with that uid is told already. */
  knows(uid: string, state: string): boolean;
  note(uid: string, state: string): void;
}

export function makeTold(): Told {
  const states = new Map<string, string>();
  return {
    knows: (uid, state) => states.get(uid) === state,
    note(uid, state) {
      states.delete(uid);
      states.set(uid, state);
      const [oldest] = states.keys();
      if (states.size > MOST && oldest !== undefined) states.delete(oldest);
    },
  };
}
