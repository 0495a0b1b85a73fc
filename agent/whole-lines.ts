/** Text that comes in pieces, as whole lines: a value that is cut in two between them would not be known for a Secret's. */

/** A line is told in parts once it is this long, in characters. */
const LONGEST = 16_384;

export interface WholeLines {
  push(text: string): void;
  /** Tells what has no line end yet. */
  end(): void;
}

/** Tells each line that is not empty. */
export function wholeLines(tell: (line: string) => void): WholeLines {
  let held = '';
  const told = (lines: string[]) => lines.filter(Boolean).forEach(tell);
  return {
    push(text) {
      const lines = (held + text).split('\n');
      held = lines.pop() ?? '';
      told(lines);
      if (held.length <= LONGEST) return;
      told([held]);
      held = '';
    },
    end() {
      told([held]);
      held = '';
    },
  };
}
