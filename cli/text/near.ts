/** Names that somebody may have meant: few single-character edits away, or beginning alike. Pure. */

/** One row of the edit-distance matrix: the edits from `a` up to its character `i` to each beginning of `b`. */
function nextRow(row: readonly number[], char: string, b: string): number[] {
  const next = [(row[0] ?? 0) + 1];
  for (const [index, other] of [...b].entries()) {
    const replaced = (row[index] ?? 0) + (char === other ? 0 : 1);
    next.push(Math.min((next[index] ?? 0) + 1, (row[index + 1] ?? 0) + 1, replaced));
  }
  return next;
}

/** Single-character edits that turn `a` into `b` (Levenshtein). */
function distance(a: string, b: string): number {
  const first = Array.from({ length: b.length + 1 }, (_, index) => index);
  return [...a].reduce((row, char) => nextRow(row, char, b), first).at(-1) ?? 0;
}

const begins = (candidate: string, name: string) => name.length >= 2 && candidate.startsWith(name);

/** The candidates nearest to `name`, best first, at most `count`. */
export function near(name: string, candidates: readonly string[], count = 3): string[] {
  const allowed = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length * 0.4));
  return candidates
    .map((candidate) => ({ candidate, edits: begins(candidate, name) ? 0.5 : distance(name, candidate) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((a, b) => a.edits - b.edits || a.candidate.localeCompare(b.candidate))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** ` Did you mean a, b?`, or nothing. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const names = near(name, candidates);
  return names.length ? `Did you mean ${names.join(', ')}?` : '';
}
