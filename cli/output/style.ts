/** Colour for a terminal, and none elsewhere. A state has one colour everywhere. */

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Colour = keyof typeof CODES;
type Paint = (text: string) => string;

/** Paints text, or leaves it as it is where `enabled` is false. */
export type Style = Record<Colour, Paint>;

export function makeStyle(enabled: boolean): Style {
  const paint =
    (code: number): Paint =>
    (text) =>
      enabled && text ? `\u001b[${code}m${text}\u001b[0m` : text;
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, paint(code)])) as Style;
}

const STATES: Record<string, Colour> = {
  Working: 'green',
  Finished: 'green',
  Answered: 'green',
  Yes: 'green',
  Waiting: 'yellow',
  Open: 'yellow',
  Starting: 'cyan',
  Pending: 'cyan',
  Idle: 'dim',
  Suspended: 'dim',
  Terminating: 'dim',
  Deleted: 'dim',
  Expired: 'dim',
};
const BAD =
  /^(Failed|Forbidden|Invalid|NameTaken|PredecessorTerminating|QuotaExceeded|No|Requester.*|Deadline|refused)$/;

/** A state word in its colour. */
export function paintState(style: Style, state: string): string {
  const colour = BAD.test(state) ? 'red' : STATES[state];
  return colour ? style[colour](state) : state;
}

/** Whether colours are wanted: a terminal, and neither `--no-color` nor a non-empty `NO_COLOR` (no-color.org) nor a dumb one. */
export const wantsColour = (asked: { terminal: boolean; flag: boolean; noColor?: string; term?: string }): boolean =>
  asked.terminal && asked.flag && !asked.noColor && asked.term !== 'dumb';
