/**
 * Events that no retry could deliver, as they are kept: the last hundred, one key each in ConfigMap `dead-letters`, and how
 * many there have been in all. An event is a name and a hint, so that little is kept and nothing secret. Pure.
 */

/** The ConfigMap, in namespace `tiny-system`. */
export const DEAD_LETTERS = 'dead-letters';
/** How many are kept. */
export const MOST = 100;
/** The key of their number in all. */
const TOTAL = 'total';
/** Bytes of an event's body that are kept: in Reference mode it has about 100. */
const LONGEST_BODY = 2048;
const LONGEST_ERROR = 512;
const LONGEST_WORD = 253;
/** Bytes of a letter: a hundred of them fit into a ConfigMap, whatever somebody sends who can reach the function. */
const LONGEST_LETTER = 8192;

export interface DeadLetter {
  /** Counted from 1, in all. */
  number: number;
  /** RFC 3339: when it was given up. */
  at: string;
  type: string;
  /** What the event is about, where it says so. */
  about?: { kind: string; namespace: string; name: string };
  /** Where it was to go, and what came of it. */
  to: string;
  code?: number;
  error: string;
  /** As it can be replayed. */
  event: { headers: Record<string, string>; body: string };
}

/** A request as a sink gets it. Header names are in small letters. */
export interface Buried {
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

const ERRORS = /^ce-knativeerror(code|data|dest)$/;

function aboutOf({ headers }: Buried): Pick<DeadLetter, 'about'> {
  const { 'ce-kind': kind, 'ce-namespace': namespace, 'ce-name': name } = headers;
  return kind && namespace && name ? { about: { kind: cut(kind), namespace: cut(namespace), name: cut(name) } } : {};
}

const cut = (word: string): string => word.slice(0, LONGEST_WORD);

/** Of one that is too long what it was about stays, and nothing that could be replayed. */
const bounded = (letter: DeadLetter): DeadLetter =>
  Buffer.byteLength(JSON.stringify(letter)) <= LONGEST_LETTER
    ? letter
    : { ...letter, event: { headers: {}, body: '' } };

/** `undefined` where it is no CloudEvent in binary mode. */
export function letterOf(buried: Buried, number: number, now: Date): DeadLetter | undefined {
  const { headers, body } = buried;
  const type = headers['ce-type'];
  if (!type || !headers['ce-id']) return undefined;
  const own = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !ERRORS.test(name) && /^(ce-|content-type$)/.test(name),
  );
  const code = Number(headers['ce-knativeerrorcode']);
  const error = Buffer.from(headers['ce-knativeerrordata'] ?? '', 'base64').toString('utf8');
  return bounded({
    number,
    at: now.toISOString(),
    type: cut(type),
    ...aboutOf(buried),
    to: cut(headers['ce-knativeerrordest'] ?? ''),
    ...(code > 0 && { code }),
    error: error.slice(0, LONGEST_ERROR),
    event: { headers: Object.fromEntries(own) as Record<string, string>, body: body.slice(0, LONGEST_BODY) },
  });
}

type Data = Readonly<Record<string, string>>;

export const totalOf = (data: Data): number => Number(data[TOTAL] ?? 0) || 0;

/** Newest first; an entry that can't be read is passed over. */
export function lettersOf(data: Data): DeadLetter[] {
  const letters = Object.entries(data).flatMap(([key, text]) => (key === TOTAL ? [] : (parsed(text) ?? [])));
  return letters.sort((a, b) => b.number - a.number);
}

function parsed(text: string): DeadLetter | undefined {
  try {
    return JSON.parse(text) as DeadLetter;
  } catch {
    return undefined;
  }
}

const keyOf = (number: number): string => `letter-${number}`;

/** What of the data changes when `buried` is kept, `null` for what goes; `undefined` where it is no event. */
export function burying(data: Data, buried: Buried, now: Date): Record<string, string | null> | undefined {
  const number = totalOf(data) + 1;
  const letter = letterOf(buried, number, now);
  if (!letter) return undefined;
  const old = Object.keys(data).filter((key) => key !== TOTAL && Number(key.slice('letter-'.length)) <= number - MOST);
  return {
    ...Object.fromEntries(old.map((key) => [key, null])),
    [TOTAL]: String(number),
    [keyOf(number)]: JSON.stringify(letter),
  };
}
