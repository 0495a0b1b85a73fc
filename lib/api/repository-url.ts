/**
 * Which repository URLs are refused, and why. git reads a local path, an option or a helper (`ext::`) out of what
 * looks like a URL, a URL can carry a password into `kubectl get`, and a pod must not be sent to its cloud's
 * metadata service. The same rules stand in CEL beside the schema.
 */

export type RepositoryRefusal = 'form' | 'metadata';

const FORMS = [
  /^(https?|ssh):\/\/[^/@:]+(:[0-9]+)?\/.+$/,
  /^ssh:\/\/[A-Za-z0-9_.-]+@[^/@:]+(:[0-9]+)?\/.+$/,
  /^[A-Za-z0-9_.][A-Za-z0-9_.-]*@[^/@:]+:[^/].*$/,
];
const METADATA_HOST = '(169[.]254[.][0-9.]+|metadata([.][a-z.]+)?|100[.]100[.]100[.]200)';
const METADATA = [
  new RegExp(`^[a-z]+://([^/]*@)?${METADATA_HOST}(:[0-9]+)?/`),
  new RegExp(`^[^/]*@${METADATA_HOST}:`),
  /\[/,
];

/** Why `url` is refused: it is no remote URL (`form`), or it names a metadata address or a bracketed one (`metadata`). */
export function repositoryRefusal(url: string): RepositoryRefusal | undefined {
  if (!FORMS.some((form) => form.test(url))) return 'form';
  return METADATA.some((pattern) => pattern.test(url)) ? 'metadata' : undefined;
}
