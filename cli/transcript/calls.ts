/** Tool calls as lines: what was called, how it ended and how much it gave; inside of it only what is asked for. Pure. */
import type { CutText, Entry } from '../../lib/api/transcript.ts';
import { safeLine } from '../output/safe.ts';
import type { Style } from '../output/style.ts';
import { truncate } from '../output/width.ts';
import { MARK, marked, plural, sizeOf, type Telling } from './marks.ts';

type Call = Extract<Entry, { type: 'call' }>;
type Result = Extract<Entry, { type: 'result' }>;
type Diff = NonNullable<Call['diffs']>[number];

/** Of a diff that is not asked for whole. */
const DIFF_LINES = 40;
/** Of what a failed call said, from its end. */
const FAILED_LINES = 5;
const TITLE_COLUMNS = 100;

/** `execute: npm test`. */
export function callTitle({ title, kind }: Pick<Call, 'title' | 'kind'>): string {
  const what = kind === 'other' || kind === '' ? '' : `${safeLine(kind)}: `;
  return truncate(what + safeLine(title), TITLE_COLUMNS);
}

function paintDiff(line: string, style: Style): string {
  const [mark] = line;
  if (line.startsWith('+++') || line.startsWith('---')) return style.bold(line);
  if (mark === '+') return style.green(line);
  if (mark === '-') return style.red(line);
  return mark === '@' ? style.cyan(line) : line;
}

function diffLines({ path, diff, added, removed }: Diff, telling: Telling): string[] {
  const all = diff.text.replace(/\n$/, '').split('\n');
  const most = telling.full ? all.length : DIFF_LINES;
  const more = all.length > most ? [`${MARK.inside}(${plural(all.length - most, 'more line')})`] : [];
  return [
    `${MARK.agent}${safeLine(path)} (+${added} -${removed})`,
    ...all
      .slice(0, most)
      .flatMap((line) => marked(line, '', telling).map((part) => MARK.inside + paintDiff(part, telling.style))),
    ...more,
  ];
}

const inside = (text: string, telling: Telling): string[] => marked(text, MARK.inside, telling);

/** What stands below a call's line. */
export const callDetails = ({ input, diffs = [] }: Call, telling: Telling): string[] => [
  ...(telling.full && input && diffs.length === 0 ? inside(pretty(input.text), telling) : []),
  ...diffs.flatMap((diff) => diffLines(diff, telling)),
];

/** JSON with its strings' lines as lines, where it is JSON. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).replaceAll('\\n', '\n    ');
  } catch {
    return text;
  }
}

function gave(output: CutText | undefined): string {
  if (!output) return '';
  const { text, characters } = output;
  const isCut = characters > text.length;
  const lines = isCut ? '' : `${plural(text.replace(/\n$/, '').split('\n').length, 'line')}, `;
  return `, ${lines}${sizeOf(isCut ? characters : Buffer.byteLength(text))}`;
}

/** `ok, 12 lines, 1.2 KiB`. */
export const resultWords = ({ status, output }: Result, style: Style): string =>
  (status === 'failed' ? style.red('failed') : style.green('ok')) + gave(output);

/** What stands below a result's line. */
export function resultDetails({ status, output, diffs = [] }: Result, telling: Telling): string[] {
  const shown = diffs.flatMap((diff) => diffLines(diff, telling));
  if (!output || (!telling.full && status !== 'failed')) return shown;
  const lines = inside(output.text, telling);
  return [...shown, ...(telling.full ? lines : lines.slice(-FAILED_LINES))];
}
