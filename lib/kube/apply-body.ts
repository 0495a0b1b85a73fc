/**
 * The body of a server-side apply. The API server reads it as YAML, of which JSON is a part, but for a few characters:
 * YAML folds U+0085, U+2028 and U+2029 as line ends, and refuses other control characters. So they go as escapes.
 */

const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const applyBody = (object: unknown): string =>
  JSON.stringify(object).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
