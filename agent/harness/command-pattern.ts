/**
 * Whether a command is one that a person allowed by a pattern: word for word. A star stands for a part of a word that
 * leads nowhere else (no `/`, no `..`, no blank, no option), and as the last word for all further ones.
 */

/** Whether `words` are of `pattern`, such as `npm run *`. Pure. */
export function isOf(pattern: string, words: readonly string[]): boolean {
  const wanted = pattern.split(' ');
  const isOpen = wanted.at(-1) === '*' && wanted.length > 1;
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((one, at) => isWord(one, words[at] ?? ''));
}

function isWord(wanted: string, word: string): boolean {
  if (!wanted.includes('*')) return wanted === word;
  if (word.split('/').includes('..')) return false;
  if (word.startsWith('-') && !wanted.startsWith('-')) return false;
  const parts = wanted.split('*').map((part) => part.replace(/[.+]/g, '[$&]'));
  return new RegExp(`^${parts.join('[^/\\s]*')}$`, 'u').test(word);
}
