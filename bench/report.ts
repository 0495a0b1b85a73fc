/** A result for a person and for a machine: pure. */
import type { Spread } from './statistics.ts';
import type { Result } from './types.ts';

export interface Machine {
  cores: number;
  /** Node's version. */
  node: string;
}

const round = (value: number): number => Number(value.toPrecision(value < 100 ? 3 : 4));

const roundedFigure = (figure: Spread | number): Spread | number =>
  typeof figure === 'number'
    ? round(figure)
    : { ...figure, median: round(figure.median), min: round(figure.min), max: round(figure.max) };

/** One object. */
export const asJson = (name: string, machine: Machine, { ratio, figures, wrong }: Result): string =>
  JSON.stringify({
    name,
    ...(ratio !== undefined && { ratio: round(ratio) }),
    ...machine,
    figures: Object.fromEntries(Object.entries(figures).map(([key, figure]) => [key, roundedFigure(figure)])),
    wrong,
  });

function line(name: string, figure: Spread | number, width: number): string {
  const label = `  ${name.padEnd(width)}  `;
  if (typeof figure === 'number') return `${label}${round(figure)}`;
  const { median, min, max, runs, unit } = figure;
  return `${label}${round(median)} ${unit}  (${round(min)} – ${round(max)}, ${runs} runs)`;
}

/** Lines; the figures are medians with their least and greatest. */
export function asText(name: string, machine: Machine, { ratio, figures, wrong }: Result): string {
  const width = Math.max(...Object.keys(figures).map((key) => key.length));
  return [
    `${name}  (${machine.cores} cores, Node ${machine.node})`,
    ...Object.entries(figures).map(([key, figure]) => line(key, figure, width)),
    ...(ratio === undefined ? [] : [`  ${'ratio'.padEnd(width)}  ${round(ratio)}`]),
    ...wrong.map((what) => `  wrong: ${what}`),
  ].join('\n');
}
