/**
 * Cuts text that an agent wrote to a limit in UTF-16 units, which is never above the API server's in code points. A
 * character of two units is not split: half of one can't be stored.
 */

/** The beginning of `text`. */
export const cut = (text: string, limit: number): string =>
  text
    .slice(0, limit)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();

/** The end of `text`. */
export const cutStart = (text: string, limit: number): string =>
  text
    .slice(-limit)
    .replace(/^[\udc00-\udfff]/, '')
    .toWellFormed();
