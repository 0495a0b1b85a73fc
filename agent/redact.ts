/**
 * Takes the values of mounted Secrets out of text that leaves the pod: logs, status, Questions, transcripts. A value is
 * looked for as it stands and in the spellings that tools print it in (JSON, URL, base64). It is a net for accidents: an
 * agent that means to tell a value it can read will find a spelling that isn't looked for.
 */

/** What stands where a value stood. As short as the shortest value, so that a text within a limit stays within it. */
export const REDACTED = '[secret]';

/**
 * Values shorter than this, in characters, stay: `true`, `8080`, `main` or `admin` stand in most text for other reasons, and
 * taking them out would ruin it and tell their value besides. No token or key of a service is that short.
 */
export const SHORTEST = 8;

/** The armour of a PEM file says nothing, and ordinary text holds it too. */
const isArmour = (line: string): boolean => /^-----(BEGIN|END) [A-Z0-9 ]+-----$/.test(line);

/** A value of several lines is taken out line by line, since logs and diffs show it so. */
function pieces(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length > 1 ? lines.filter((line) => !isArmour(line)) : lines;
  return [secret.trim(), ...parts].filter((piece) => piece.length >= SHORTEST);
}

/** The characters of base64 that `value` decides alone, wherever in a longer text it stands (as a password in Basic's `user:password`). */
function base64At(value: string, offset: 0 | 1 | 2): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value, 'utf8')]);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), whole);
}

/** Half a surrogate pair has no spelling in a URL. */
const encodeUrl = (value: string): string => (value.isWellFormed() ? encodeURIComponent(value) : value);

function spellings(value: string): string[] {
  const url = encodeUrl(value);
  const base64 = ([0, 1, 2] as const).map((offset) => base64At(value, offset));
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** Everything that is looked for, of `secrets`. */
const needlesOf = (secrets: readonly string[]): string[] => [
  ...new Set(
    secrets
      .flatMap(pieces)
      .flatMap(spellings)
      .filter((needle) => needle.length >= SHORTEST),
  ),
];

type Range = [start: number, end: number];

function* occurrences(text: string, needle: string): Generator<Range> {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) yield [at, at + needle.length];
}

/** Where needles stand, ascending, overlaps made one: of two values that share characters neither may leave a rest. */
function rangesOf(text: string, needles: readonly string[], covered: number): Range[] {
  const begun: Range[] = covered > 0 ? [[0, covered]] : [];
  const found = begun.concat(needles.flatMap((needle) => [...occurrences(text, needle)]));
  const merged: Range[] = [];
  for (const [start, end] of found.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** `text` up to `end`; a range that begins at 0 goes on from what was printed before where `told`. */
function printed(text: string, ranges: readonly Range[], { end, told }: { end: number; told: boolean }): string {
  let at = 0;
  let out = '';
  for (const [from, to] of ranges) {
    if (from >= end) break;
    out += text.slice(at, from) + (told && from === 0 ? '' : REDACTED);
    at = to;
  }
  return out + (at < end ? text.slice(at, end) : '');
}

export type Redact = (text: string) => string;

/** Takes `secrets` out of whole texts. */
export function makeRedactor(secrets: readonly string[]): Redact {
  const needles = needlesOf(secrets);
  return (text) => printed(text, rangesOf(text, needles, 0), { end: text.length, told: false });
}

/** Where the end of `text` may be the beginning of a needle; its length where it isn't. */
function heldFrom(text: string, needles: readonly string[]): number {
  const starts = needles.map((needle) => {
    const first = needle.charAt(0);
    let at = text.indexOf(first, Math.max(0, text.length - needle.length + 1));
    while (at >= 0 && !needle.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
    return at < 0 ? text.length : at;
  });
  return Math.min(text.length, ...starts);
}

export interface StreamRedactor {
  /** What can be printed now. Held back is at most the beginning of a value. */
  push(chunk: string): string;
  /** What was held back. */
  end(): string;
}

/** Takes `secrets` out of a text that comes in chunks, also where a value is split over them. Chunks are text: decode bytes first. */
export function makeStreamRedactor(secrets: readonly string[]): StreamRedactor {
  const needles = needlesOf(secrets);
  let carry = '';
  let covered = 0;
  const upTo = (text: string, end: number): string => {
    const ranges = rangesOf(text, needles, covered);
    const out = printed(text, ranges, { end, told: covered > 0 });
    const straddling = ranges.find(([from, to]) => from < end && to > end);
    carry = text.slice(end);
    covered = straddling ? straddling[1] - end : 0;
    return out;
  };
  return {
    push(chunk) {
      const text = carry + chunk;
      return upTo(text, heldFrom(text, needles));
    },
    end: () => upTo(carry, carry.length),
  };
}

/** `value` with `redact` over each text in it, keys too. */
export function redactDeep<Value>(value: Value, redact: Redact): Value;
export function redactDeep(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactDeep(item, redact)]));
}
