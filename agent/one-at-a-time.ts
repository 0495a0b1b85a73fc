/** Acts in turn: what the one has seen or counted still holds when it is done, and the next one sees it. */

/** Runs what it is given one after the other; one that fails holds up none. */
export function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(act: () => Promise<T>): Promise<T> => {
    const done = last.then(act);
    last = done.catch(() => {});
    return done;
  };
}
