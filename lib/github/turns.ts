/** Runs what has the same name one after the other, and of what waits only the last: it reads everything anew. */

export interface Turns {
  run(name: string, work: () => Promise<void>): Promise<void>;
}

export function makeTurns(): Turns {
  const running = new Map<string, { now: Promise<void>; next: Promise<void> | undefined }>();
  const start = (name: string, work: () => Promise<void>): Promise<void> => {
    const now = work().finally(() => {
      if (running.get(name)?.now === now && !running.get(name)?.next) running.delete(name);
    });
    running.set(name, { now, next: undefined });
    return now;
  };
  return {
    run(name, work) {
      const turn = running.get(name);
      if (!turn) return start(name, work);
      turn.next ??= turn.now.catch(() => {}).then(() => start(name, work));
      return turn.next;
    },
  };
}
