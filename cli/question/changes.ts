/** What a proposal would change, in lines: one a value, `-` as it is, `+` as it would be. Pure. */
import type { Change } from '../../lib/question/apply-changes.ts';
import type { Looked } from '../../lib/question/apply-look.ts';
import { named } from '../../lib/question/apply-manifest.ts';

const isText = (value: unknown): value is string => typeof value === 'string' && value.includes('\n');

const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `  ${mark}   ${line}`);

/** Of two texts of several lines, the lines that differ. */
function lines({ path, before, after }: { path: string; before: string; after: string }): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const changed = (all: readonly string[]) => all.slice(head, all.length - tail);
  return [`  ~ ${path}, from line ${head + 1}:`, ...marked('-', changed(a)), ...marked('+', changed(b))];
}

function told({ path, ...values }: Change): string[] {
  const { before, after } = values;
  if (isText(before) || isText(after)) {
    const texts = [before ?? '', after ?? ''];
    const [from = '', to = ''] = texts.filter((one) => typeof one === 'string');
    if (texts.every((one) => typeof one === 'string')) return lines({ path, before: from, after: to });
  }
  return [
    ...('before' in values ? [`  - ${path}: ${JSON.stringify(before)}`] : []),
    ...('after' in values ? [`  + ${path}: ${JSON.stringify(after)}`] : []),
  ];
}

/** All objects, each with what becomes of it. */
export const changesText = (looked: readonly Looked[]): string =>
  looked
    .flatMap(({ manifest, live, changes }) => {
      const becomes = changes.length === 0 ? 'nothing changes' : live ? 'changes' : 'is made';
      return [`${named(manifest)}: ${becomes}`, ...changes.flatMap(told)];
    })
    .join('\n');
