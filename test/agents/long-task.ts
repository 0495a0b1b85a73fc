/**
 * The task of many steps that the resumes are tried with. Each step appends its number to a file unless that is there, so
 * that it may be repeated; the model looks at the file first, and goes by what the tool results tell alone. An edit counts
 * as acknowledged once the model was told of it: from then on it must be in the file, whatever is killed.
 */
import type { Dialect } from './dialect.ts';
import type { Script, Talk } from './model/talk.ts';

export const STEPS = 30;

const step = (number: number): string =>
  `grep -qx ${number} list 2>/dev/null || echo ${number} >> list; echo "step $(tail -n 1 list) done"`;

/** The steps that the conversation's results tell of, the last one. */
export function lastStep({ allResults }: Talk): number {
  const all = allResults.flatMap((text) => [...text.matchAll(/step (\d+) done/g)].map(([, number]) => Number(number)));
  return Math.max(0, ...all);
}

/** The model of that task. */
export const longTask =
  ({ freely }: Dialect): Script =>
  (talk) => {
    const said = talk.said.at(-1) ?? '';
    const isAnew = said.includes('could not be loaded') && talk.allResults.length === 0;
    if (isAnew) return freely('echo "step $(tail -n 1 list 2>/dev/null || echo 0) done"');
    const done = lastStep(talk);
    return done >= STEPS ? { say: 'all steps are done' } : { say: `step ${done + 1}`, ...freely(step(done + 1)) };
  };
