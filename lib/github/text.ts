/**
 * Texts of GitHub as an agent gets them: what can't be seen by who reads the issue is taken out, since whoever vouches for a
 * text vouches for what they saw. Pure.
 */

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/**
 * Format characters (zero width, writing direction, tags), what is shown as nothing (variation selectors, which can spell out
 * whole texts, and blank letters) but for the mark that makes an emoji of a sign; control characters but line ends and tabs.
 */
const INVISIBLE = /(?!\ufe0f)[\u2800\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]|[^\P{Cc}\n\t]/gu;

/** `text` with `\n` as its line ends, without comments and invisible characters; what was a comment is said. */
export const visible = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(INVISIBLE, '')
    .replaceAll(COMMENT, '(a hidden comment was left out)');

/** What stands after `/tiny` at the very beginning of a comment; `undefined` where it is no command. */
export function commandIn(comment: string): string | undefined {
  const [, rest] = /^\/tiny(?:[ \t\n]+([\s\S]*))?$/.exec(visible(comment).trim()) ?? [undefined, undefined];
  return /^\/tiny(?![^ \t\n])/.test(visible(comment).trim()) ? (rest ?? '').trim() : undefined;
}

/** The beginning of `text`, with a word about what is missing. */
export const shortened = (text: string, limit: number): string =>
  text.length <= limit
    ? text
    : `${text.slice(0, limit - 60).toWellFormed()}\n(the rest, ${text.length - limit + 60} characters, was left out)`;

/** In a code block, where nothing is rendered, linked or notified. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
