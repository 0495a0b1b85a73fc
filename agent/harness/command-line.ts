/**
 * A shell's line taken apart into the commands that it surely is, or not at all. It knows words, quotes, and what
 * parts commands (`&&`, `||`, `;`, `|`), and gives up at everything that a shell could read otherwise: expansions,
 * redirections, globs, escapes, comments, line breaks, characters that don't show. Whoever gets nothing asks a person.
 */

/** What stands for itself outside of quotes in every shell. A `=` at the beginning, or a `~`, would not. */
const PLAIN = /^[A-Za-z0-9_./:@%+,=-]$/;
/** Within quotes also signs, blanks and letters of all scripts; never what doesn't show or reorders text. */
const SHOWN = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** What a shell expands or escapes within double quotes. */
const LIVE = new Set(['$', '`', '\\', '!']);
const PARTINGS = ['&&', '||', ';', '|'];

interface Reading {
  commands: string[][];
  words: string[];
  /** The word that is being read; absent between words. */
  word: string | undefined;
}

/** The words of each command of `line`; `undefined` where that is not sure. */
export function commandsOf(line: string): string[][] | undefined {
  const reading: Reading = { commands: [], words: [], word: undefined };
  const characters = [...line];
  for (let at = 0; at < characters.length; ) {
    const length = take(characters, at, reading);
    if (length === undefined) return undefined;
    at += length;
  }
  endWord(reading);
  return endCommand(reading) ? reading.commands : undefined;
}

/** Reads on from `at`; gives how many characters that was, or `undefined` where it isn't sure. */
function take(characters: readonly string[], at: number, reading: Reading): number | undefined {
  const character = characters[at] ?? '';
  if (' \t'.includes(character)) return endWord(reading);
  if (`'"`.includes(character)) return takeQuoted(characters, at, reading);
  const parting = PARTINGS.find((one) => characters.slice(at, at + one.length).join('') === one);
  return parting === undefined ? takePlain(character, reading) : part(reading, parting);
}

function takePlain(character: string, reading: Reading): number | undefined {
  if (!PLAIN.test(character) || (character === '=' && reading.word === undefined)) return undefined;
  reading.word = (reading.word ?? '') + character;
  return 1;
}

function part(reading: Reading, parting: string): number | undefined {
  endWord(reading);
  return endCommand(reading) ? parting.length : undefined;
}

function takeQuoted(characters: readonly string[], at: number, reading: Reading): number | undefined {
  const quote = characters[at] ?? '';
  const end = characters.indexOf(quote, at + 1);
  if (end < 0) return undefined;
  const inside = characters.slice(at + 1, end);
  if (!inside.every((one) => SHOWN.test(one) && (quote === "'" || !LIVE.has(one)))) return undefined;
  reading.word = (reading.word ?? '') + inside.join('');
  return end + 1 - at;
}

function endWord(reading: Reading): number {
  if (reading.word !== undefined) reading.words.push(reading.word);
  reading.word = undefined;
  return 1;
}

/** Whether there was a command to end. */
function endCommand(reading: Reading): boolean {
  if (reading.words.length === 0) return false;
  reading.commands.push(reading.words);
  reading.words = [];
  return true;
}

/** Words as a shell reads them again. */
export const inShell = (words: readonly string[]): string =>
  words.map((word) => (/^[A-Za-z0-9_./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
