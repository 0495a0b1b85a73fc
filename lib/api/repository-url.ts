/**
 * Which repository URLs are refused, and why. git reads a local path, an option or a helper (`ext::`) out of what
 * looks like a URL, a URL can carry a password into `kubectl get`, and a pod must not be sent to its cloud's
 * metadata service, however its address is written. The patterns are plain RE2, so that CEL can hold them too.
 */

export type RepositoryRefusal = 'form' | 'metadata';

/** `SCHEME://HOST[:PORT]/PATH`, `ssh://USER@HOST[:PORT]/PATH` and `USER@HOST:PATH`. */
export const FORMS = [
  '^(https?|ssh)://[^/@:]+(:[0-9]+)?/.+$',
  '^ssh://[A-Za-z0-9_.-]+@[^/@:]+(:[0-9]+)?/.+$',
  '^[A-Za-z0-9_.][A-Za-z0-9_.-]*@[^/@:]+:[^/].*$',
];

/** Link-local and well-known metadata hosts, and IPv4 addresses in any form but four decimal parts. */
const HOST = [
  '169[.]254[.][0-9.]+',
  '100[.]100[.]100[.]200',
  'metadata([.][a-zA-Z.]+)?',
  '[0-9]+([.][0-9]+){0,2}[.]?',
  '([0-9]+[.])*0[0-9xX][0-9a-fA-FxX.]*',
].join('|');

export const FORBIDDEN = [`^[a-z]+://([^/@]*@)?(?i:${HOST})(:[0-9]+)?/`, `^[^/@]*@(?i:${HOST}):`, '\\['];

const matches = (patterns: string[], url: string) => patterns.some((pattern) => new RegExp(pattern).test(url));

/** Why `url` is refused: it is no remote URL (`form`), or its host is not one to clone from (`metadata`). */
export function repositoryRefusal(url: string): RepositoryRefusal | undefined {
  if (!matches(FORMS, url)) return 'form';
  return matches(FORBIDDEN, url) ? 'metadata' : undefined;
}
