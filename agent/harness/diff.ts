/** An edit as a unified diff of one hunk: what a person reads before they allow it. */

const CONTEXT = 3;

const split = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

function common(a: string[], b: string[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count += 1;
  return count;
}

const range = (start: number, count: number): string => `${count === 0 ? start : start + 1},${count}`;

/** The diff from `oldText` (absent for a new file) to `newText`. */
export function unifiedDiff(path: string, oldText: string | null | undefined, newText: string): string {
  const before = split(oldText ?? '');
  const after = split(newText);
  const head = common(before, after);
  const tail = common(before.slice(head).reverse(), after.slice(head).reverse());
  const start = Math.max(0, head - CONTEXT);
  const shownTail = Math.min(tail, CONTEXT);
  const lines = [
    ...before.slice(start, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail, before.length - tail + shownTail).map((line) => ` ${line}`),
  ];
  const counts = [before, after].map((all) => range(start, all.length - tail + shownTail - start));
  const from = oldText === null || oldText === undefined ? '/dev/null' : `a/${path}`;
  return `--- ${from}\n+++ b/${path}\n@@ -${counts[0]} +${counts[1]} @@\n${lines.join('\n')}\n`;
}
