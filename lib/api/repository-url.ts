/**
 * Which repository URLs are refused, and why. git reads a local path, an option or a helper (`ext::`) out of what
 * looks like a URL, a URL can carry a password into `kubectl get`, and a pod must not be sent to its cloud's
 * metadata service, however its address is written. The patterns are plain RE2, so that CEL can hold them too.
 */

export type RepositoryRefusal = 'form' | 'metadata';

/**
 * A host in plain letters: what a resolver would fold into one (`%31`, full-width digits) or cut short (`?`, `#`) could
 * hide another, and ssh takes one that starts with `-` for an option.
 */
const NAME = '[A-Za-z0-9][A-Za-z0-9._-]*';
const REST = '[^\\x00-\\x20\\x7f]';

/** `SCHEME://HOST[:PORT]/PATH`, `ssh://USER@HOST[:PORT]/PATH` and `USER@HOST:PATH`. */
export const FORMS = [
  `^(https?|ssh)://${NAME}(:[0-9]+)?/${REST}+$`,
  `^ssh://[A-Za-z0-9_.][A-Za-z0-9_.-]*@${NAME}(:[0-9]+)?/${REST}+$`,
  `^[A-Za-z0-9_.][A-Za-z0-9_.-]*@${NAME}:[^/\\x00-\\x20\\x7f]${REST}*$`,
];

/** Link-local and well-known metadata hosts, and IPv4 addresses in any form but four decimal parts. */
const HOST = [
  '169[.]254[.][0-9.]+',
  '100[.]100[.]100[.]200[.]?',
  'metadata([.][a-zA-Z.]*)?',
  'instance-data([.]ec2[.]internal)?[.]?',
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
